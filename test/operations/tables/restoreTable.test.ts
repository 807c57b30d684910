import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { alter, definitionOf, droppedTables } from "../../support/alterations.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { auditOf, freshName, makeTable, refusal, send, tablePath } from "../../support/tables.ts";

setDefaultTimeout(60_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const restore = async (table: number, name?: string) => {
  const api = await server.tables();
  return api.restoreTable({ tenantId: 1, table, tableRestoration: name === undefined ? {} : { name } });
};

test("a dropped table comes back with its rows, indexes, dropped columns and description", async () => {
  const table = await makeTable(server, { a: "text", b: "text" });
  await table.insert({ a: "x", b: "y" });
  await alter(server, table.name, { description: "mine", alter_columns: [{ name: "a", unique: true }] });
  await alter(server, table.name, { drop_columns: ["b"] }, { confirm: true });
  const before = await definitionOf(server, table.name);
  await table.drop();
  const { data, message } = await restore(table.record.id);
  expect(message).toBe(`Table "${table.name}" was restored.`);
  const { updated_at: _, dropped_columns: __, ...same } = before;
  expect(data).toMatchObject({ ...same, version: 4 });
  await alter(server, table.name, { restore_columns: [{ name: "b" }] });
  expect(await table.values()).toEqual([{ a: "x", b: "y" }]);
  expect(await refusal(table.insert({ a: "x", b: null }))).toMatchObject({ code: "unique_violation" });
  await table.insert({ a: "z", b: null });
  expect(await droppedTables(server)).toEqual([]);
  const actions = (await auditOf(server, table.name)).map(({ action }) => action);
  expect(actions).toContain("restore_table");
});

test("if its name is in use, it answers 400, and the table comes back under another name", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "old" });
  await table.drop();
  const other = await makeTable(server, { b: "text" }, { name: table.name });
  const refused = await refusal(restore(table.record.id));
  expect(refused).toMatchObject({ status: 400, code: "table_name_in_use", pointers: ["/name"] });
  const name = freshName();
  await restore(table.record.id, name);
  const api = await server.tables();
  expect((await api.listRows({ tenantId: 1, table: name })).data.rows).toMatchObject([{ a: "old" }]);
  expect(await other.values()).toEqual([]);
});

test("references come back if they still hold, and the answer names the others", async () => {
  const [kept, emptied, gone] = [
    await makeTable(server, { a: "text" }),
    await makeTable(server, { a: "text" }),
    await makeTable(server, { a: "text" }),
  ];
  for (const parent of [kept, emptied, gone]) await parent.insert({ a: "x" });
  const child = await makeTable(server, { k: "bigint", e: "bigint", g: "bigint", self: "bigint" });
  await alter(server, child.name, {
    alter_columns: [
      { name: "k", references: { table: kept.name, on_delete: "cascade" } },
      { name: "e", references: { table: emptied.name } },
      { name: "g", references: { table: gone.name } },
      { name: "self", references: { table: child.name } },
    ],
  });
  await child.insert({ k: "1", e: "1", g: "1", self: null });
  await child.drop();
  await emptied.remove({ a: "x" });
  await gone.drop();
  // Another table of the same name is not the one that was meant.
  await makeTable(server, { a: "text" }, { name: gone.name });
  const name = freshName();
  const { data, message } = await restore(child.record.id, name);
  expect(message).toBe(`Table "${name}" was restored, without the references of these columns: "e", "g".`);
  expect(data.columns.map(({ references }) => references?.table)).toEqual([
    kept.name,
    undefined,
    undefined,
    name,
  ]);
  await kept.remove({ a: "x" });
  const api = await server.tables();
  expect((await api.listRows({ tenantId: 1, table: name })).data.rows).toEqual([]);
});

test("what was never dropped, was purged, or belongs to another tenant answers 404", async () => {
  const table = await makeTable(server, { a: "text" });
  const foreign = await makeTable(server, { a: "text" }, { caller: { tenant: 2 } });
  await foreign.drop();
  const dropped = await makeTable(server, { a: "text" });
  await send(server, `DELETE ${tablePath(dropped.name)}?confirm=true&$purge=true`);
  for (const id of [table.record.id, foreign.record.id, dropped.record.id, 999_999])
    expect(await refusal(restore(id))).toMatchObject({ status: 404, code: "table_not_found" });
});

test("an id that is no number answers 400", async () => {
  const answer = await send(server, `POST ${tablePath("customers")}/restore`, { body: {} });
  expect(answer).toMatchObject({ status: 400, pointers: ["/path/table"] });
});

test("without days to undo, a drop is for good", async () => {
  const other = await startServer({ environment: { TABLES_UNDO_DAYS: "0" } });
  try {
    const table = await makeTable(other, { a: "text", b: "text" });
    const { plan } = await alter(other, table.name, { drop_columns: ["a"] }, { confirm: true });
    expect(plan.losses[0]).not.toHaveProperty("restorable_until");
    await table.drop();
    expect(await droppedTables(other)).toEqual([]);
    const left = await other.sql`
      select relname from pg_class where relnamespace = 'tenant_1'::regnamespace and relname ~ '_dropped_[0-9]'`;
    expect(left).toHaveLength(0);
  } finally {
    await other.stop();
  }
});
