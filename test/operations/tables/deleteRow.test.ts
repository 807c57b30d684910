import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { auditOf, makeTable, refusal, send } from "../../support/tables.ts";

setDefaultTimeout(60_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("one row is deleted, and a second time there is none", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "x" }, { a: "y" });
  const api = await server.tables();
  const target = { tenantId: 1, table: table.name, id: "1" };
  const deleted = await api.deleteRow({ ...target, prefer: "return=representation" });
  expect(deleted).toMatchObject({
    message: "1 row was deleted.",
    data: { affected_rows: 1, rows: [{ a: "x" }] },
  });
  expect(await refusal(api.deleteRow(target))).toMatchObject({ status: 404, code: "row_not_found" });
  expect(await table.values()).toEqual([{ a: "y" }]);
  const records = (await auditOf(server, table.name)).filter(({ action }) => action === "delete");
  expect(records.map(({ outcome }) => outcome)).toEqual(["success", "failure"]);
});

test("If-Match keeps a row that somebody else has changed", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "x" });
  const path = `${table.path}/1`;
  const change = async (a: string) =>
    (await send(server, `PATCH ${path}`, { body: { a } })).headers.get("etag") ?? "";
  const old = await change("y");
  const tag = await change("z");
  expect(await send(server, `DELETE ${path}`, { headers: { "If-Match": old } })).toMatchObject({
    status: 412,
  });
  const many = { body: { where: { id: "1" } }, headers: { "If-Match": old } };
  expect(await send(server, `DELETE ${table.path}`, many)).toMatchObject({ status: 412 });
  expect(await send(server, `DELETE ${path}`, { headers: { "If-Match": tag } })).toMatchObject({
    status: 200,
  });
  expect(await table.values()).toEqual([]);
});
