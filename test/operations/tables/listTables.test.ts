import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Columns, freshName, makeTable, refusal, send, tablesPath } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const listOf = async (tenant: number) =>
  (await (await server.tables({ tenant })).listTables({ tenantId: tenant })).data.tables;

test("a tenant without tables has an empty list", async () => {
  expect(await listOf(10)).toEqual([]);
});

test("tables come newest first, each as its record", async () => {
  const caller = { tenant: 11 };
  const records = [];
  const shapes: Columns[] = [{ a: "text" }, { b: "jsonb not null" }, { c: "numeric" }];
  for (const columns of shapes) records.push((await makeTable(server, columns, { caller })).record);
  expect(await listOf(11)).toEqual(records.toReversed());
});

test("a dropped table is not listed, and a table created again is", async () => {
  const caller = { tenant: 12 };
  const table = await makeTable(server, { a: "text" }, { caller });
  await table.drop();
  expect(await listOf(12)).toEqual([]);
  const again = await makeTable(server, { b: "date" }, { caller, name: table.name });
  expect(await listOf(12)).toEqual([again.record]);
  expect(again.record.id).not.toBe(table.record.id);
});

test("system tables and other tenants' tables are not listed", async () => {
  const caller = { tenant: 13 };
  const own = await makeTable(server, { a: "text" }, { caller });
  await makeTable(server, { a: "text" }, { caller: { tenant: 14 } });
  await server.sql`create table tenant_13.trx_loan (id bigint)`;
  expect((await listOf(13)).map((table) => table.table_name)).toEqual([own.name]);
});

test("texts with any characters are answered unchanged", async () => {
  const tenantId = 15;
  const description = "quotes ' \" \\ \n\t\u0001 \u2028 é 日本 👩‍👩‍👧 </script> $1 %s";
  const newTable = { name: freshName(), description, columns: [{ name: "a", type: "text" as const }] };
  await (await server.tables({ tenant: tenantId })).createTable({ tenantId, newTable });
  expect((await listOf(tenantId))[0]?.description).toBe(description);
});

test("it takes no parameters and needs an administrator's token", async () => {
  expect(await send(server, `GET ${tablesPath()}?page=1`)).toMatchObject({ status: 400 });
  const api = await server.tables({ roles: ["member"] });
  expect(await refusal(api.listTables({ tenantId: 1 }))).toMatchObject({ status: 401 });
});
