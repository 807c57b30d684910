/** Without FORM_TOKEN_SECRET there are no public forms: every operation for visitors answers 501. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { operations } from "../../../src/generated/operations.ts";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer } from "../../support/server.ts";

let closed: TestServer;
beforeAll(async () => {
  closed = await startServer({ environment: { FORM_TOKEN_SECRET: "" } });
});
afterAll(() => closed.stop());

const ofVisitors = Object.values(operations).filter(
  ({ id, security }) => security?.scheme === "formToken" || id === "createFormSession",
);

test.each(ofVisitors.map(({ id, method, path }) => [id, method, path] as const))(
  "%s answers 501",
  async (id, method, path) => {
    const headers: Record<string, string> = { "X-Probis-Form-Token": "anything" };
    const asksForForm = id === "createFormSession";
    if (asksForForm) headers["Content-Type"] = "application/json";
    const body = asksForForm ? JSON.stringify({ embed_id: "x".repeat(22) }) : null;
    const url = closed.url + path.replace("{attachment_id}", crypto.randomUUID());
    await expectProblem(await fetch(url, { method, headers, body }), "not_configured");
  },
);

test("there are six such operations", () => {
  expect(ofVisitors).toHaveLength(6);
});
