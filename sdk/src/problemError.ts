/** The error for every request that a Waybill server refuses. */
import type { Fault, Problem } from "./generated/index.ts";

/** `message` is a sentence for people, `code` is for programs, `problem` is the whole answer (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly problem: Problem;
  readonly status: number;
  readonly code: string;
  readonly errors: readonly Fault[];
  /** How many seconds the server asks to wait, if it does. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, { retryAfter }: { retryAfter?: string | null | undefined } = {}) {
    super(problem.message);
    this.problem = problem;
    this.status = problem.status;
    this.code = problem.code;
    this.errors = problem.errors ?? [];
    this.retryAfterSeconds = retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
  }

  /** Reads the answer's body. If it is not a Problem (a proxy's page, for example), the code is `http_<status>`. */
  static async from(response: Response): Promise<ProblemError> {
    const body: unknown = await response.json().catch(() => undefined);
    const problem = isProblem(body) ? body : standIn(response);
    return new ProblemError(problem, { retryAfter: response.headers.get("retry-after") });
  }
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === "object" && body !== null && "code" in body && "message" in body && "status" in body;

const standIn = ({ status, headers }: Response): Problem => ({
  success: false,
  message: `The server answered ${status} without a reason.`,
  type: "about:blank",
  title: `HTTP ${status}`,
  status,
  code: `http_${status}`,
  request_id: headers.get("x-request-id") ?? "",
});
