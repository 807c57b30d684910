/** Every failure ends here: logged with its cause, put into the audit trail where it was a write, answered. */
import { ParseError, ValidationError } from "elysia";
import { recordFailure } from "../audit/queries.ts";
import type { Deps } from "../deps.ts";
import { Problem } from "../problem.ts";
import { type AnswerOptions, answerValidators, requireDeclared } from "./answer.ts";
import { type Exchange, exchangeOf } from "./exchange.ts";
import { problemBody, problemOf, problemResponse } from "./problemResponse.ts";

interface Failure {
  readonly error: unknown;
  readonly code: string | number;
  readonly request: Request;
}

export function answerFailure(deps: Deps, { checkAnswers }: AnswerOptions) {
  return async ({ error, code, request }: Failure): Promise<Response> => {
    const exchange = exchangeOf(request);
    const problem = problemFor(error, code);
    if (problem.status >= 500)
      deps.log.error(
        { request_id: exchange.requestId, code: problem.code, err: problem.cause },
        problem.title,
      );
    // The caller is told where the process stands still; why the engine says so is for the log.
    if (problem.code === "process_failed" && problem.cause !== undefined)
      deps.log.warn({ request_id: exchange.requestId, err: problem.cause }, problem.message);
    await audit(deps, exchange, problem);
    await exchange.dispose?.();
    // What is left of a body Bun reads, and drops, behind the answer. One that told no length may never end.
    if (request.headers.has("transfer-encoding")) exchange.headers.Connection = "close";
    const answer = checkAnswers ? declared(problem, exchange) : problem;
    exchange.status = answer.status;
    return problemResponse(answer, exchange);
  };
}

function problemFor(error: unknown, code: string | number): Problem {
  if (code === "NOT_FOUND") return new Problem("route_not_found");
  if (error instanceof ParseError || error instanceof ValidationError)
    return error.cause instanceof Problem ? error.cause : new Problem("bad_request", { cause: error });
  return problemOf(error);
}

/** A refused write is recorded once its caller is known to be allowed to write (design 7). */
async function audit(
  deps: Deps,
  { operation, caller, table, requestId }: Exchange,
  problem: Problem,
): Promise<void> {
  if (!operation?.audit || !caller || !("subject" in caller)) return;
  const { audit: action } = operation;
  const record = { tenantId: caller.tenant.id, actor: caller.subject, action, requestId };
  const storable = table?.replaceAll("\0", "�").toWellFormed().slice(0, 200);
  const statement = `${action.replace("_", " ")} ${storable ?? ""}`.trim();
  try {
    await recordFailure(deps.sql, {
      ...record,
      table: storable,
      statement,
      error: `${problem.code}: ${problem.message}`.replaceAll("\0", "�").toWellFormed(),
    });
  } catch (err) {
    deps.log.error(
      { request_id: requestId, ...record, statement, err },
      "a failed write could not be recorded",
    );
  }
}

/** In test runs a problem that the contract does not declare for its operation is itself a failure. */
function declared(problem: Problem, { operation, requestId }: Exchange): Problem {
  if (!operation) return problem;
  try {
    requireDeclared(answerValidators(operation), problem.status, problemBody(problem, requestId));
    return problem;
  } catch (cause) {
    console.error(`${operation.id}: ${String(cause)}`, problem.code);
    return new Problem("internal_error", { cause });
  }
}
