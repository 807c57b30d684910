import type { Handler } from "../handler.ts";
import { Problem } from "../problem.ts";

/** Whoever asks will not wait for long either. */
const answerMs = 3_000;

/** Ready means not draining, and the database answers on a connection that no request uses. */
export const getReadiness: Handler<"getReadiness"> = async (_request, { control, draining, disk }) => {
  if (draining()) throw new Problem("draining", { headers: { "Retry-After": "5" } });
  const late = AbortSignal.timeout(answerMs);
  const tooLate = new Promise<never>((_, reject) => {
    late.addEventListener("abort", () => reject(new Problem("database_unavailable", { cause: late.reason })));
  });
  await Promise.race([control`select 1`, tooLate]);
  const warnings = (await disk.isLow()) ? ["disk_low"] : [];
  return { status: 200, body: { status: "ok", ...(warnings.length > 0 ? { warnings } : {}) } };
};
