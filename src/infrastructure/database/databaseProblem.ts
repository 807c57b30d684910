/**
 * Recognises temporary failures of PostgreSQL, which are not the fault of the request. They are answered with 503 and
 * `Retry-After`: docs/decisions/database.md, "Temporary failures are recognised by their codes".
 */
import { Problem, type ProblemCode } from "../problem.ts";

/** Codes of the operating system, when connecting or during a query. */
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

const unavailable = new Set([
  // Codes of postgres.js and of our pool.
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  // SQLSTATEs.
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "57P05", // idle_session_timeout
  "25006", // read_only_sql_transaction
  "28000", // invalid_authorization_specification
  "28P01", // invalid_password
  "3D000", // invalid_catalog_name
]);

const busy = new Set([
  "POOL_TIMEOUT", // our pool: every connection is in use
  "55P03", // lock_not_available
  "57014", // query_canceled, by statement_timeout
  "40P01", // deadlock_detected
  "40001", // serialization_failure
  "25P03", // idle_in_transaction_session_timeout
]);

/** Seconds. */
const retryAfter: Partial<Record<ProblemCode, string>> = { database_unavailable: "5", busy: "1" };

/** `database_unavailable` or `busy`, with the error as its cause. Undefined for any other error. */
export function databaseProblem(error: unknown): Problem | undefined {
  const code = problemCode(error);
  return code && new Problem(code, { cause: error, headers: { "Retry-After": retryAfter[code] ?? "1" } });
}

function problemCode(error: unknown): "database_unavailable" | "busy" | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string") return undefined;
  if (busy.has(code)) return "busy";
  return unavailable.has(code) || isOutage(code) || isNetworkFailure(error, code)
    ? "database_unavailable"
    : undefined;
}

/** Class 08 is connection exceptions. Class 53 is connections, memory or disk used up. */
function isOutage(code: string): boolean {
  return /^(08|53)[0-9A-Z]{3}$/.test(code);
}

/** Only errors of postgres.js have a query. An ECONNREFUSED of the object storage has none. */
function isNetworkFailure(error: unknown, code: string): boolean {
  return networkCodes.has(code) && error instanceof Error && "query" in error;
}
