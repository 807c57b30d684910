import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Sql } from "../../../src/infrastructure/database/connect.ts";
import { runTableTasks } from "../../../src/tables/changing/background.ts";
import { alter, definitionOf, droppedTables } from "../../support/alterations.ts";
import { secretsFrom, startServer, type TestServer } from "../../support/server.ts";
import { auditOf, makeTable, refusal, type TestTable } from "../../support/tables.ts";
import { until } from "../../support/until.ts";
import { inFolder } from "../../support/waybillProcess.ts";

setDefaultTimeout(120_000);

const secret = "shared by all servers, 32 characters";
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ secret });
});
afterAll(() => server.stop());

/** A table of more than 8 MiB, so that its indexes are built in the background. `n` counts from 1. */
async function largeTable(rows = 3_000): Promise<TestTable> {
  const table = await makeTable(server, { n: "bigint", same: "text", filler: "text" });
  await server.sql.unsafe(`
    insert into tenant_1.${table.name} (n, same, filler)
    select n, 'x', string_agg(md5(n::text || k::text), '')
    from generate_series(1, ${rows}) n, generate_series(1, 100) k
    group by n
    order by n`);
  await server.sql.unsafe(`alter table tenant_1.${table.name} alter filler set storage external`);
  return table;
}

const work = () => runTableTasks(server.deps);
const due = (sql: Sql, table: TestTable) =>
  sql`update waybill.table_tasks set due_at = now() where table_id = ${table.record.id}`;
const tasks = (table: TestTable) =>
  server.sql`select kind from waybill.table_tasks where table_id = ${table.record.id}`;
const indexesOf = (table: TestTable) => server.sql`
  select indisvalid as valid, indisunique as is_unique
  from pg_index
  where indrelid = ${`tenant_1.${table.name}`}::regclass and not indisprimary`;

test("an index of a large table is built in the background, and is ready only then", async () => {
  const table = await largeTable();
  const { table: record, plan } = await alter(server, table.name, {
    add_indexes: [{ columns: ["same"] }],
    alter_columns: [{ name: "n", unique: true }],
  });
  expect(plan).toMatchObject({ waits: "nobody", seconds: 0 });
  expect(record.indexes).toEqual([
    { columns: ["n"], unique: true, state: "building" },
    { columns: ["same"], unique: false, state: "building" },
  ]);
  expect(record.columns[0]).not.toHaveProperty("unique");
  await work();
  const after = await definitionOf(server, table.name);
  expect(after.indexes).toEqual([
    { columns: ["n"], unique: true, state: "ready" },
    { columns: ["same"], unique: false, state: "ready" },
  ]);
  expect(after.columns[0]).toMatchObject({ unique: true });
  expect(await refusal(table.insert({ n: 1 }))).toMatchObject({ status: 409, code: "unique_violation" });
  expect(await tasks(table)).toHaveLength(0);
  const built = (await auditOf(server, table.name)).filter(({ statement }) => /concurrently/.test(statement));
  expect(built).toMatchObject([{ actor: "alice" }, { actor: "alice" }]);
});

test("a unique index that the rows do not allow is shown as failed, with the reason", async () => {
  const table = await largeTable();
  await alter(server, table.name, { add_indexes: [{ columns: ["same"], unique: true }] });
  await work();
  const { indexes, columns } = await definitionOf(server, table.name);
  expect(indexes).toMatchObject([{ state: "failed", error: expect.stringContaining("same values") }]);
  expect(columns[1]).not.toHaveProperty("unique");
  expect(await indexesOf(table)).toHaveLength(0);
  await alter(server, table.name, { drop_indexes: [{ columns: ["same"] }] });
  expect((await definitionOf(server, table.name)).indexes).toEqual([]);
});

test("a reference of a large table holds for new rows at once, and for the others when they are checked", async () => {
  const parent = await makeTable(server, { a: "text" });
  await server.sql.unsafe(`insert into tenant_1.${parent.name} (a) select '' from generate_series(1, 3000)`);
  const table = await largeTable();
  const references = { table: parent.name };
  const { plan } = await alter(server, table.name, { alter_columns: [{ name: "n", references }] });
  expect(plan.waits).toBe("writers");
  const [column] = (await definitionOf(server, table.name)).columns;
  expect(column?.references).toMatchObject({ state: "checking" });
  expect(await refusal(table.insert({ n: 9_999 }))).toMatchObject({ code: "reference_violation" });
  await work();
  const [checked] = (await definitionOf(server, table.name)).columns;
  expect(checked?.references).toEqual({ table: parent.name, on_delete: "restrict" });
});

test("a reference that rows do not allow is shown as failed, and can be given again", async () => {
  const parent = await makeTable(server, { a: "text" });
  await parent.insert({ a: "the only one" });
  const table = await largeTable();
  const references = { table: parent.name };
  await alter(server, table.name, { alter_columns: [{ name: "n", references }] });
  await work();
  const [failed] = (await definitionOf(server, table.name)).columns;
  expect(failed?.references).toMatchObject({ state: "failed" });
  await table.insert({ n: 9_999 });
  await server.sql.unsafe(`update tenant_1.${table.name} set n = 1`);
  await alter(server, table.name, { alter_columns: [{ name: "n", references }] });
  await work();
  const [checked] = (await definitionOf(server, table.name)).columns;
  expect(checked?.references).toEqual({ table: parent.name, on_delete: "restrict" });
});

test("an index whose building was interrupted is built again", async () => {
  const table = await largeTable();
  await alter(server, table.name, { add_indexes: [{ columns: ["n"] }] });
  // What PostgreSQL leaves behind: the build waits for this transaction, and is ended while it waits.
  await server.sql.begin(async (tx) => {
    await tx.unsafe(`update tenant_1.${table.name} set same = same where id = 1`);
    const build = server.sql
      .unsafe(`create index concurrently _left on tenant_1.${table.name} (n)`)
      .catch(() => {});
    await until(async () => {
      const [row] = await server.sql`
        select pg_terminate_backend(pid) as ended
        from pg_stat_activity
        where query like 'create index concurrently _left%' and wait_event_type = 'Lock'`;
      return row?.ended === true;
    });
    await build;
  });
  expect(await indexesOf(table)).toMatchObject([{ valid: false }]);
  await work();
  expect(await indexesOf(table)).toMatchObject([{ valid: true }]);
  expect((await definitionOf(server, table.name)).indexes).toMatchObject([{ state: "ready" }]);
});

test("a column that is renamed before its index is built has the index, and a dropped table needs none", async () => {
  const [table, gone] = [await largeTable(), await largeTable()];
  for (const { name } of [table, gone]) await alter(server, name, { add_indexes: [{ columns: ["n"] }] });
  await alter(server, table.name, { rename_columns: [{ from: "n", to: "m" }] });
  await gone.drop();
  await work();
  expect((await definitionOf(server, table.name)).indexes).toMatchObject([
    { columns: ["m"], state: "ready" },
  ]);
  expect([...(await tasks(gone))]).toEqual([{ kind: "purge" }]);
});

test("dropped tables and columns are purged when their days are over, and the trail says so", async () => {
  const [table, gone] = [
    await makeTable(server, { a: "text", b: "text" }),
    await makeTable(server, { a: "text" }),
  ];
  await alter(server, table.name, { drop_columns: ["a"] }, { confirm: true });
  await gone.drop();
  await work();
  expect(await droppedTables(server)).toMatchObject([{ id: gone.record.id }, {}]);
  for (const dropped of [table, gone]) await due(server.sql, dropped);
  await work();
  expect((await droppedTables(server)).map(({ id }) => id)).not.toContain(gone.record.id);
  expect((await definitionOf(server, table.name)).dropped_columns).toEqual([]);
  const left = await server.sql`
    select attname from pg_attribute
    where attrelid = ${`tenant_1.${table.name}`}::regclass and attname like '\\_dropped%'`;
  expect(left).toHaveLength(0);
  for (const { name } of [gone])
    expect((await auditOf(server, name)).at(-1)).toMatchObject({ action: "purge_table", actor: "waybill" });
  expect(await tasks(table)).toHaveLength(0);
});

test("after kill -9 while it builds, another process finishes the index, and a change is there or not", async () => {
  const table = await largeTable(20_000);
  await inFolder(async (_, start) => {
    const environment = { DATABASE_URL: server.database.url, ...secretsFrom(secret) };
    for (const round of [1, 2, 3]) {
      const waybill = start({ environment });
      const url = await waybill.listening;
      const answer = fetch(`${url}/api/v1/report/1/schema/tables/${table.name}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${await server.token()}`, "content-type": "application/json" },
        body: JSON.stringify({
          add_columns: [{ name: `c${round}`, type: "integer", default: round }],
          alter_columns: [{ name: "n", type: round === 1 ? "numeric" : "text" }],
          add_indexes: [{ columns: [`c${round}`, "n"] }],
        }),
      }).catch(() => undefined);
      await Bun.sleep(100 * round ** 2);
      waybill.kill("SIGKILL");
      await Promise.all([waybill.exited, answer]);
      // PostgreSQL notices that nobody waits for an answer only when it is done.
      await until(async () => {
        const busy = await server.sql`
          select from pg_stat_activity where application_name = 'waybill' and state <> 'idle' and pid <> pg_backend_pid()`;
        return busy.length === 0;
      });
      const { columns } = await definitionOf(server, table.name);
      const real = await server.sql<{ name: string; type: string }[]>`
        select attname as name, format_type(atttypid, atttypmod) as type
        from pg_attribute
        where attrelid = ${`tenant_1.${table.name}`}::regclass and attnum > 3 and not attisdropped
        order by attnum`;
      expect(columns.map(({ name, type }) => ({ name, type: String(type) }))).toEqual([...real]);
    }
  });
  await due(server.sql, table);
  await until(async () => {
    await work();
    await due(server.sql, table);
    const { indexes = [] } = await definitionOf(server, table.name);
    return indexes.every(({ state }) => state === "ready");
  });
  expect((await indexesOf(table)).every(({ valid }) => valid)).toBe(true);
});
