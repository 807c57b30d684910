import { afterAll, beforeAll, expect, test } from "bun:test";
import { alter, droppedTables } from "../../support/alterations.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, refusal, send, tablePath } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("a confirmed drop answers the table's record, and the table is gone", async () => {
  const table = await makeTable(server, { a: "text not null" });
  await table.insert({ a: "x" });
  const answer = await send(server, `DELETE ${tablePath(table.name)}?confirm=true`);
  expect(answer).toMatchObject({ status: 200, body: { success: true, data: table.record } });
  expect(await refusal(table.rows())).toMatchObject({ status: 404, code: "table_not_found" });
  const [left] = await server.sql`select to_regclass(${`tenant_1.${table.name}`}) as oid`;
  expect(left).toEqual({ oid: null });
});

test("without exactly confirm=true it answers 400, and the table is unchanged", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "kept" });
  const spellings = ["", "confirm", "confirm=", "confirm=false", "confirm=1", "confirm=yes", "confirm=TRUE"];
  const others = ["confirm=True", "confirm=%20true", "Confirm=true", "confirm=true&confirm=true"];
  for (const query of [...spellings, ...others])
    expect(await send(server, `DELETE ${tablePath(table.name)}?${query}`)).toMatchObject({ status: 400 });
  const api = await server.tables();
  const refused = await refusal(api.dropTable({ tenantId: 1, table: table.name }));
  expect(refused).toMatchObject({ status: 400, code: "confirmation_required" });
  expect(await table.values()).toEqual([{ a: "kept" }]);
});

test("If-Match drops a table only if nobody has changed its definition", async () => {
  const table = await makeTable(server, { a: "text" });
  const path = tablePath(table.name);
  const tagNow = async () => (await send(server, `GET ${path}`)).headers.get("etag") ?? "";
  const tag = await tagNow();
  await alter(server, table.name, { description: "changed" });
  const drop = (ifMatch: string, query = "confirm=true") =>
    send(server, `DELETE ${path}?${query}`, { headers: { "If-Match": ifMatch } });
  expect(await drop(tag)).toMatchObject({ status: 412, code: "precondition_failed" });
  expect(await drop("nonsense")).toMatchObject({ status: 400, pointers: ["/header/if-match"] });
  expect(await drop(await tagNow())).toMatchObject({ status: 200 });
  const dropped = `${tablePath(String(table.record.id))}?confirm=true&$purge=true`;
  const purge = await send(server, `DELETE ${dropped}`, { headers: { "If-Match": "*" } });
  expect(purge).toMatchObject({ status: 400, pointers: ["/header/if-match"] });
});

test("an unknown parameter answers 400, and the table is unchanged", async () => {
  const table = await makeTable(server, { a: "text" });
  const answer = await send(server, `DELETE ${tablePath(table.name)}?confirm=true&cascade=true`);
  expect(answer).toMatchObject({ status: 400, pointers: ["/query/cascade"] });
  expect(await table.rows()).toEqual([]);
});

test("a table that never existed or was dropped answers 404", async () => {
  const missing = { status: 404, code: "table_not_found" };
  expect(await send(server, `DELETE ${tablePath("nowhere")}?confirm=true`)).toMatchObject(missing);
  const table = await makeTable(server, { a: "text" });
  await table.drop();
  expect(await refusal(table.drop())).toMatchObject(missing);
});

test("a system table answers 404 and is unchanged", async () => {
  await makeTable(server, { a: "text" });
  await server.sql`create table tenant_1.trx_loan as select 1 as id`;
  expect(await send(server, `DELETE ${tablePath("trx_loan")}?confirm=true`)).toMatchObject({ status: 404 });
  expect(await server.sql`select * from tenant_1.trx_loan`).toMatchObject([{ id: 1 }]);
});

test("a table with a dependent view is refused and unchanged", async () => {
  const table = await makeTable(server, { a: "text" });
  await server.sql.unsafe(`create view tenant_1.trx_view as select a from tenant_1.${table.name}`);
  expect(await refusal(table.drop())).toMatchObject({ status: 400, code: "table_has_dependents" });
  expect(await table.insert({ a: "still here" })).toBe(1);
});

test("after a drop the name can be used for other columns", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "old" });
  await table.drop();
  const again = await makeTable(server, { a: "integer" }, { name: table.name });
  expect(await again.rows()).toEqual([]);
  expect(await again.insert({ a: 1 })).toBe(1);
});

test("a dropped table is listed with who dropped it and until when it can be restored", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.drop();
  const [dropped] = await droppedTables(server);
  expect(dropped).toMatchObject({ ...table.record, dropped: { by: "alice" } });
  const days = (Date.parse(dropped?.dropped?.restorable_until ?? "") - Date.now()) / 86_400_000;
  expect(days).toBeCloseTo(7, 1);
});

test("after a drop, the names of what belonged to the table are free", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.drop();
  for (const name of [`${table.name}_pkey`, `${table.name}_id_seq`, table.name])
    await makeTable(server, { a: "text" }, { name });
});

test("with $purge=true a table is gone for good, also one that was dropped before", async () => {
  const relations = () => server.sql`
    select relname from pg_class where relnamespace = 'tenant_1'::regnamespace and relname ~ '^_dropped_[0-9]+$'`;
  const table = await makeTable(server, { a: "text", b: "text" });
  await alter(server, table.name, { drop_columns: ["b"] }, { confirm: true });
  const before = await relations();
  expect(await send(server, `DELETE ${tablePath(table.name)}?confirm=true&$purge=true`)).toMatchObject({
    status: 200,
  });
  expect(await relations()).toEqual(before);
  const again = await makeTable(server, { a: "text" });
  await again.drop();
  expect(await relations()).toHaveLength(before.length + 1);
  const purged = await send(server, `DELETE ${tablePath(String(again.record.id))}?confirm=true&$purge=true`);
  expect(purged).toMatchObject({ status: 200, body: { data: { id: again.record.id } } });
  expect(await relations()).toEqual(before);
  const missing = await send(server, `DELETE ${tablePath(String(again.record.id))}?confirm=true&$purge=true`);
  expect(missing).toMatchObject({ status: 404 });
});

test("the id of a dropped table is no name, except to purge it", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.drop();
  const path = tablePath(String(table.record.id));
  for (const request of [`GET ${path}`, `DELETE ${path}?confirm=true`, `GET ${path}/rows`])
    expect(await send(server, request)).toMatchObject({ status: 404 });
});

test("a table to which another one refers is not dropped, and the answer names the other one", async () => {
  const parent = await makeTable(server, { a: "text" });
  const child = await makeTable(server, { r: "bigint" });
  await alter(server, child.name, { alter_columns: [{ name: "r", references: { table: parent.name } }] });
  expect(await refusal(parent.drop())).toMatchObject({
    status: 400,
    code: "table_has_dependents",
    body: { message: expect.stringContaining(`"${child.name}"`) },
  });
  // A dropped table holds nothing up.
  await child.drop();
  await parent.drop();
});
