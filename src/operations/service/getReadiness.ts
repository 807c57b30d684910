import type { Handler } from "../../handler.ts";
import { clockOffset, offsetMessage } from "../../infrastructure/database/clock.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { withTimeout } from "../../infrastructure/withTimeout.ts";

/** Callers of a readiness check do not wait long either. */
const answerMs = 3_000;

const diskLow = {
  code: "disk_low",
  message: "There is no room for uploads. They are answered with 507. Free disk space.",
};

/**
 * The process is ready if it is not draining and the database answers on a connection that no request uses. A wrong
 * clock, a full disk or an engine that is away is only a warning: the database's clock may be the wrong one, and
 * downloads work without room for uploads and without the engine.
 */
export const getReadiness: Handler<"getReadiness"> = async (_request, deps) => {
  const { control, now, draining, disk, engine } = deps;
  if (draining()) throw new Problem("draining", { headers: { "Retry-After": "5" } });
  const checks = Promise.all([clockOffset(control, now), disk.isLow(), engine.warnings()]);
  const [offset, isLow, ofEngine] = await withTimeout(checks, { ms: answerMs, onTimeout: noAnswer });
  const warnings = [
    ...(offset === undefined ? [] : [{ code: "clock_off", message: offsetMessage(offset) }]),
    ...(isLow ? [diskLow] : []),
    ...ofEngine,
  ];
  return { status: 200, body: { status: "ok", ...(warnings.length > 0 ? { warnings } : {}) } };
};

function noAnswer(): never {
  throw new Problem("database_unavailable", { cause: new Error(`no answer in ${answerMs} ms`) });
}
