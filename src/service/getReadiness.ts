import type { Handler } from "../handler.ts";
import { Problem } from "../problem.ts";

/** Ready is: not draining, and the database answers. */
export const getReadiness: Handler<"getReadiness"> = async (_request, { sql, draining }) => {
  if (draining()) throw new Problem("draining", { headers: { "Retry-After": "5" } });
  await sql`select 1`;
  return { status: 200, body: { status: "ok" } };
};
