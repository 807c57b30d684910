/** Checks that an error has the form that all errors have. */
import { expect } from "bun:test";
import { type ProblemCode, problems } from "../../src/infrastructure/problem.ts";

export interface ProblemBody {
  readonly message: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** Checks the response's status, headers and members. Returns its body. */
export async function expectProblem(response: Response, code: ProblemCode): Promise<ProblemBody> {
  const [status, title] = problems[code];
  const body = (await response.json()) as ProblemBody;
  expect(body).toMatchObject({ success: false, code, status, title, type: `/problems/${code}` });
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("x-request-id")).toBe(body.request_id);
  expect(body.request_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(body.message).toMatch(/^\S.*\S$/s);
  expect(body.errors?.length ?? 0).toBeLessThanOrEqual(100);
  for (const { pointer, detail } of body.errors ?? []) {
    expect(pointer).toMatch(/^(\/.*)?$/s);
    expect(detail).not.toBe("");
  }
  return body;
}
