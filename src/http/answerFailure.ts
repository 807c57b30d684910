/**
 * Every failure ends here: it is logged with its cause, recorded in the audit trail if it was a write, and answered.
 */
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
    // After the answer, Bun reads the rest of the body and drops it. A body without a length may never end.
    if (request.headers.has("transfer-encoding")) context.headers.Connection = "close";
    const answer = checkAnswers ? declared(problem, context) : problem;
    context.status = answer.status;
    return problemResponse(answer, context);
  };
}

/** Refusals that come by the hundred. Their cause has its own line in the log. */
const loggedElsewhere: readonly ProblemCode[] = ["overloaded", "draining"];

function logFailure({ log }: Deps, { requestId }: RequestContext, problem: Problem): void {
  if (problem.status >= 500 && !loggedElsewhere.includes(problem.code))
    log.error({ request_id: requestId, code: problem.code, err: problem.cause }, problem.title);
  // The caller learns where the process stopped. The engine's reason is only for the log.
  if (problem.code === "process_failed" && problem.cause !== undefined)
    log.warn({ request_id: requestId, err: problem.cause }, problem.message);
}

/**
 * Elysia wraps whatever its `parse` step throws. Admission runs in that step, so the cause can be anything: a Problem,
 * an outage of the database, or a fault of ours. It is treated like any other error.
 */
function problemFor(error: unknown, code: string | number): Problem {
  if (code === "NOT_FOUND") return new Problem("route_not_found");
  if (error instanceof ParseError || error instanceof ValidationError)
    return error.cause === undefined ? new Problem("bad_request", { cause: error }) : problemOf(error.cause);
  return problemOf(error);
}

/**
 * Records a refused write in the audit trail if its caller may write, and returns the problem to answer. If it cannot
 * be recorded, the answer is 503, because every refused write must be in the audit trail.
 */
async function audited(
  deps: Deps,
  { operation, caller, table, subject, requestId, audit }: RequestContext,
  problem: Problem,
): Promise<Problem> {
  if (!operation?.audit || !caller || !("subject" in caller)) return problem;
  const action = audit ?? operation.audit;
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
      "Failed write not recorded in the audit trail",
    );
    return problem.status === 503 ? problem : new Problem("database_unavailable", { cause: err });
  }
}

const storableText = (text = "") => text.slice(0, 200).replaceAll("\0", "�").toWellFormed();

/** In test runs, a problem that the contract does not declare for its operation is a failure too. */
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
