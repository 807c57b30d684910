/** Every failure ends here: logged with its cause, put into the audit trail where it was a write, answered. */
import { ParseError, ValidationError } from "elysia";
import type { Deps } from "../deps.ts";
import { Problem, type ProblemCode } from "../infrastructure/problem.ts";
import { recordFailure } from "../tenants/audit.ts";
import { type AnswerOptions, answerValidators, requireDeclared } from "./answer.ts";
import { problemBody, problemOf, problemResponse } from "./problemResponse.ts";
import { contextOf, type RequestContext } from "./requestContext.ts";

interface Failure {
  readonly error: unknown;
  readonly code: string | number;
  readonly request: Request;
}

export function answerFailure(deps: Deps, { checkAnswers }: AnswerOptions) {
  return async ({ error, code, request }: Failure): Promise<Response> => {
    const context = contextOf(request);
    const failure = problemFor(error, code);
    logFailure(deps, context, failure);
    const problem = await audited(deps, context, failure);
    await context.dispose?.();
    // What is left of a body Bun reads, and drops, behind the answer. One that told no length may never end.
    if (request.headers.has("transfer-encoding")) context.headers.Connection = "close";
    const answer = checkAnswers ? declared(problem, context) : problem;
    context.status = answer.status;
    return problemResponse(answer, context);
  };
}

/** Refusals that come by the hundred and have one line where their cause begins. */
const loggedElsewhere: readonly ProblemCode[] = ["overloaded", "draining"];

function logFailure({ log }: Deps, { requestId }: RequestContext, problem: Problem): void {
  if (problem.status >= 500 && !loggedElsewhere.includes(problem.code))
    log.error({ request_id: requestId, code: problem.code, err: problem.cause }, problem.title);
  // The caller is told where the process stands still; why the engine says so is for the log.
  if (problem.code === "process_failed" && problem.cause !== undefined)
    log.warn({ request_id: requestId, err: problem.cause }, problem.message);
}

/**
 * Elysia wraps what its `parse` step throws. Admission runs in that step, so the cause can be anything: a Problem, an
 * outage of the database, or a fault of ours. It is judged like any other error.
 */
function problemFor(error: unknown, code: string | number): Problem {
  if (code === "NOT_FOUND") return new Problem("route_not_found");
  if (error instanceof ParseError || error instanceof ValidationError)
    return error.cause === undefined ? new Problem("bad_request", { cause: error }) : problemOf(error.cause);
  return problemOf(error);
}

/**
 * Records a refused write once its caller is known to be allowed to write, and returns the problem to answer. A refusal
 * that cannot be recorded is answered 503: no answer may claim a refusal of which the audit trail knows nothing.
 */
async function audited(
  deps: Deps,
  { operation, caller, table, subject, requestId }: RequestContext,
  problem: Problem,
): Promise<Problem> {
  if (!operation?.audit || !caller || !("subject" in caller)) return problem;
  const { audit: action } = operation;
  const record = { tenantId: caller.tenant.id, actor: caller.subject, action, requestId };
  const storable = table === undefined ? undefined : storableText(table);
  const statement = `${action.replace("_", " ")} ${storable ?? storableText(subject)}`.trim();
  try {
    await recordFailure(deps.sql, {
      ...record,
      table: storable,
      statement,
      error: `${problem.code}: ${problem.message}`.replaceAll("\0", "�").toWellFormed(),
    });
    return problem;
  } catch (err) {
    deps.log.error(
      { request_id: requestId, ...record, statement, code: problem.code, err },
      "a failed write could not be recorded",
    );
    return problem.status === 503 ? problem : new Problem("database_unavailable", { cause: err });
  }
}

const storableText = (text = "") => text.slice(0, 200).replaceAll("\0", "�").toWellFormed();

/** In test runs a problem that the contract does not declare for its operation is itself a failure. */
function declared(problem: Problem, { operation, requestId }: RequestContext): Problem {
  if (!operation) return problem;
  try {
    requireDeclared(answerValidators(operation), problem.status, problemBody(problem, requestId));
    return problem;
  } catch (cause) {
    console.error(`${operation.id}: ${String(cause)}`, problem.code);
    return new Problem("internal_error", { cause });
  }
}
