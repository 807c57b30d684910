/** Numbers with a type in the contract may be written in any way. All other numbers stay as they were written. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import Type from "typebox";
import { plainNumbers } from "../../src/http/plainNumbers.ts";
import { parseJson } from "../../src/infrastructure/json.ts";
import { expectProblem } from "../support/problem.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const bind = async (tenantId: string) => {
  const authorization = `Bearer ${await server.token({ roles: ["engine"] })}`;
  const ids = '["0c8f9f0e-6f0b-4b8a-9d3e-2f4f1d0a7b11"]';
  return server.request("/api/v1/internal/form-attachments/bindings", {
    method: "POST",
    headers: { authorization },
    body: `{"tenant_id":${tenantId},"process_instance_id":"4711","attachment_ids":${ids}}`,
  });
};

test.each(["1", "1.0", "1.000", "1e0", "1E+0"])("an integer may be written %s", async (tenantId) => {
  await expectProblem(await bind(tenantId), "not_committed");
});

test.each(["1.5", "1.00000000000000000001", "1e-1", '"1"', "null", "[1]"])(
  "%s is not accepted as an integer",
  async (tenantId) => {
    const { errors } = await expectProblem(await bind(tenantId), "invalid_body");
    expect(errors?.[0]?.pointer).toBe("/tenant_id");
  },
);

test("only numbers with a type in the contract become JavaScript numbers", () => {
  const schema = Type.Object({
    count: Type.Integer(),
    sizes: Type.Array(Type.Number()),
    rows: Type.Array(Type.Unsafe<object>({ type: "object" })),
  });
  const value = parseJson('{"count":7.0,"sizes":[1.50,2],"rows":[{"a":1.10}],"other":3.00}');
  expect(JSON.stringify(plainNumbers(value, schema))).toBe(
    '{"count":7,"sizes":[1.5,2],"rows":[{"a":1.10}],"other":3.00}',
  );
});
