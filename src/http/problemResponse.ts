/** Turns whatever was thrown into the one shape of an error: RFC 9457 with the platform's envelope. */
import { databaseProblem } from "../infrastructure/database/databaseProblem.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { RequestContext } from "./requestContext.ts";

/** Keeps a Problem, turns a failure of the database into 503, and anything else into 500 with its cause for the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return databaseProblem(error) ?? new Problem("internal_error", { cause: error });
}

export function problemBody(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    success: false,
    message: problem.message,
    type: `/problems/${problem.code}`,
    title: problem.title,
    status: problem.status,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...problem.members,
  };
}

export function problemResponse(problem: Problem, { requestId, headers }: RequestContext): Response {
  return new Response(problem.page ?? JSON.stringify(problemBody(problem, requestId)), {
    status: problem.status,
    headers: {
      "Content-Type": problem.page === undefined ? "application/problem+json" : "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      ...headers,
      ...problem.headers,
    },
  });
}
