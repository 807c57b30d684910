/** Whatever was thrown → the one shape of an error (RFC 9457 with the platform's envelope; design 6). */
import { databaseProblem } from "../infrastructure/database/databaseProblem.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { RequestContext } from "./requestContext.ts";

/** A problem as it is; a failure of the database as 503; anything else as our fault, with its cause for the log. */
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
