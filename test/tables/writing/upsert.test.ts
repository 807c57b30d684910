/** Inserts with `on_conflict`, and what the database refuses of the others. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { alter } from "../../support/alterations.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { auditOf, type Columns, makeTable, send, type TestTable } from "../../support/tables.ts";

setDefaultTimeout(60_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** A table with a unique index on these columns. */
async function keyed(columns: Columns, ...key: string[]): Promise<TestTable> {
  const table = await makeTable(server, columns);
  await alter(server, table.name, { add_indexes: [{ columns: key, unique: true }] });
  return table;
}

const upsert = (table: TestTable, body: unknown, headers: Record<string, string> = {}) =>
  send(server, `POST ${table.path}`, { body, headers });

const wholly = { Prefer: "return=representation" };

test("do=update sets the given columns of rows with the same key, and inserts the others", async () => {
  const table = await keyed({ code: "text", n: "integer", kept: "text" }, "code");
  await table.insert({ code: "b", n: 1, kept: "k" }, { code: "d", n: 1, kept: "l" });
  const rows = ["a", "b", "c", "d"].map((code, n) => ({ code, n: n + 10 }));
  const answer = await upsert(table, { rows, on_conflict: { columns: ["code"], do: "update" } }, wholly);
  expect(answer.body).toMatchObject({
    message: "2 rows were inserted, 2 rows were updated.",
    data: { affected_rows: 4, inserted_rows: 2 },
  });
  expect(answer.body.data.rows).toMatchObject([
    { code: "a", n: 10, kept: null },
    { code: "b", n: 11, kept: "k" },
    { code: "c", n: 12, kept: null },
    { code: "d", n: 13, kept: "l" },
  ]);
  const ids = answer.body.data.rows.map(({ id }: { id: string }) => id);
  expect(answer.body.data.ids).toEqual(ids);
  expect(new Set(ids).size).toBe(4);
  const [record] = (await auditOf(server, table.name)).slice(-1);
  expect(record).toMatchObject({ action: "insert", affected_rows: 4 });
  expect(record?.statement).toEndWith('on conflict ("code") do update -- 2 inserted, 2 updated');
});

test("do=nothing leaves rows with the same key as they are", async () => {
  const table = await keyed({ code: "text", n: "integer" }, "code");
  await table.insert({ code: "b", n: 1 });
  const rows = ["c", "b", "a", "c"].map((code) => ({ code, n: 2 }));
  const answer = await upsert(table, { rows, on_conflict: { columns: ["code"], do: "nothing" } }, wholly);
  expect(answer.body.data).toMatchObject({ affected_rows: 2, inserted_rows: 2 });
  expect(answer.body.data.rows).toMatchObject([{ code: "c" }, { code: "a" }]);
  expect(await table.values()).toEqual([
    { code: "b", n: 1 },
    { code: "c", n: 2 },
    { code: "a", n: 2 },
  ]);
});

test("a key of several columns and of any type; rows with null in it are inserted", async () => {
  const table = await keyed({ at: "timestamp", exact: "numeric", n: "integer" }, "exact", "at");
  const moment = "2026-09-04T08:15:30Z";
  await table.insert({ at: moment, exact: "1.0", n: 0 }, { at: null, exact: "1.0", n: 0 });
  const rows = [
    { at: null, exact: "1.0", n: 1 },
    { at: "2026-09-04T15:15:30+07:00", exact: "1.00", n: 2 },
    { at: null, exact: "1.0", n: 3 },
  ];
  const conflict = { columns: ["at", "exact"], do: "update" };
  const answer = await upsert(table, { rows, on_conflict: conflict }, wholly);
  expect(answer.body.data).toMatchObject({ affected_rows: 3, inserted_rows: 2 });
  expect(answer.body.data.rows.map(({ n }: { n: number }) => n)).toEqual([1, 2, 3]);
  expect((await table.values()).map(({ n }) => n)).toEqual([2, 0, 1, 3]);
});

test("many clients that upsert the same keys insert each of them once", async () => {
  const table = await keyed({ code: "text", n: "integer" }, "code");
  const rows = Array.from({ length: 50 }, (_, at) => ({ code: `c${at}`, n: at }));
  const body = { rows, on_conflict: { columns: ["code"], do: "update" } };
  const answers = await Promise.all(Array.from({ length: 8 }, () => upsert(table, body)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  const inserted = answers.map(({ body }) => body.data.inserted_rows);
  expect(inserted.reduce((sum, count) => sum + count, 0)).toBe(50);
  expect(await table.values()).toHaveLength(50);
});

test("two rows with the same key are refused for do=update, and nothing changes", async () => {
  const table = await keyed({ code: "text", n: "integer" }, "code");
  const rows = [
    { code: "a", n: 1 },
    { code: "a", n: 2 },
  ];
  const answer = await upsert(table, { rows, on_conflict: { columns: ["code"], do: "update" } });
  expect(answer).toMatchObject({ status: 400, code: "duplicate_key" });
  expect(await table.values()).toEqual([]);
});

test("on_conflict needs the columns of a unique index, and every row names them", async () => {
  const table = await keyed({ code: "text", n: "integer" }, "code");
  const rows = [{ code: "a", n: 1 }];
  for (const columns of [["n"], ["code", "n"], ["id"], ["nothing"], ["code", "nothing"]]) {
    const answer = await upsert(table, { rows, on_conflict: { columns, do: "update" } });
    expect(answer).toMatchObject({ status: 400, code: "no_unique_index" });
  }
  const absent = await upsert(table, { rows: [{ n: 1 }], on_conflict: { columns: ["code"], do: "update" } });
  expect(absent).toMatchObject({ status: 400, pointers: ["/on_conflict/columns/0"] });
  for (const conflict of [
    { columns: [], do: "update" },
    { columns: ["code"], do: "delete" },
    { columns: "code" },
    7,
  ])
    expect(await upsert(table, { rows, on_conflict: conflict })).toMatchObject({
      status: 400,
      code: "invalid_body",
    });
});

test("a row with the key of another one answers 409 with the columns and no value", async () => {
  const table = await keyed({ code: "text", select: "text" }, "code", "select");
  await table.insert({ code: "a", select: "secret" });
  const again = await upsert(table, { rows: [{ code: "a", select: "secret" }] });
  expect(again).toMatchObject({ status: 409, code: "unique_violation" });
  expect(again.body.message).toBe(
    'Another row has the same value in column "code" and column "select". Nothing was changed.',
  );
  await table.insert({ code: "b", select: "secret" });
  const body = { where: { code: "b" }, set: { code: "a" } };
  expect(await send(server, `PATCH ${table.path}`, { body })).toMatchObject({ code: "unique_violation" });
});

test("a reference that does not hold answers 409", async () => {
  const parent = await makeTable(server, { a: "text" });
  const child = await makeTable(server, { parent: "bigint" });
  await server.sql.unsafe(
    `alter table tenant_1."${child.name}" add foreign key (parent) references tenant_1."${parent.name}"`,
  );
  await parent.insert({ a: "x" });
  const lost = await upsert(child, { rows: [{ parent: "7" }] });
  expect(lost).toMatchObject({ status: 409, code: "reference_violation" });
  expect(lost.body.message).toContain('The row to which column "parent" refers does not exist.');
  await child.insert({ parent: "1" });
  const held = await send(server, `DELETE ${parent.path}`, { body: { where: { id: "1" } } });
  expect(held).toMatchObject({ status: 409, code: "reference_violation" });
  expect(held.body.message).toContain(`Rows of table "${child.name}" refer to this row.`);
});
