import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, refusal, send, tablePath } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("a table's record equals the answer to its creation", async () => {
  const table = await makeTable(server, { b: "text not null", a: "numeric", doc: "jsonb" });
  const api = await server.tables();
  const { success, data } = await api.getTable({ tenantId: 1, table: table.name });
  expect(success).toBe(true);
  expect(data).toEqual(table.record);
  expect(data.columns.map(({ name }) => name)).toEqual(["b", "a", "doc"]);
});

test("a table that never existed or was dropped answers 404", async () => {
  const api = await server.tables();
  const missing = { status: 404, code: "table_not_found" };
  expect(await refusal(api.getTable({ tenantId: 1, table: "nowhere" }))).toMatchObject(missing);
  const table = await makeTable(server, { a: "text" });
  await table.drop();
  expect(await refusal(api.getTable({ tenantId: 1, table: table.name }))).toMatchObject(missing);
});

test("a system table of the tenant's schema answers 404", async () => {
  await server.sql`create table tenant_1.trx_secret (id bigint, a text)`;
  expect(await send(server, `GET ${tablePath("trx_secret")}`)).toMatchObject({ status: 404 });
});

test("errors are problem documents in the platform's envelope", async () => {
  const answer = await send(server, `GET ${tablePath("nowhere")}`);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.body).toEqual({
    success: false,
    message: 'Table "nowhere" does not exist.',
    type: "/problems/table_not_found",
    title: "The table does not exist",
    status: 404,
    code: "table_not_found",
    request_id: answer.headers.get("x-request-id"),
  });
});

test("other methods on its path answer 405", async () => {
  for (const method of ["POST", "PUT"])
    expect(await send(server, `${method} ${tablePath("nowhere")}`)).toMatchObject({ status: 405 });
});
