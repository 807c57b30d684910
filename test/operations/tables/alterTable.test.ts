import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { TableAlteration } from "../../../sdk/src/generated/index.ts";
import { type AlterOptions, alter, definitionOf } from "../../support/alterations.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { auditOf, freshName, makeTable, refusal, send, tablePath } from "../../support/tables.ts";

setDefaultTimeout(60_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const change = (table: string, alteration: TableAlteration, options?: AlterOptions) =>
  alter(server, table, alteration, options);
const patch = (table: string, body: unknown, query = "") =>
  send(server, `PATCH ${tablePath(table)}${query}`, { body });

test("columns are added, renamed, described, altered and dropped in one change", async () => {
  const table = await makeTable(server, { a: "text", b: "integer", c: "date" });
  await table.insert({ a: "x", b: 1, c: "2026-01-02" });
  const { table: record, plan } = await change(
    table.name,
    {
      description: "All of it",
      drop_columns: ["c"],
      rename_columns: [{ from: "a", to: "name" }],
      alter_columns: [{ name: "b", nullable: false, description: "How many", default: 7 }],
      add_columns: [
        { name: "price", type: "numeric", nullable: false, default: "1.50" },
        { name: "seen", type: "timestamp", default: "now()" },
        { name: "code", type: "text", unique: true },
      ],
      add_indexes: [{ columns: ["name", "b"] }],
    },
    { confirm: true },
  );
  expect(record).toMatchObject({ version: 2, description: "All of it", id: table.record.id });
  expect(record.columns as unknown).toEqual([
    { name: "name", type: "text", nullable: true },
    { name: "b", type: "integer", nullable: false, description: "How many", default: 7 },
    { name: "price", type: "numeric", nullable: false, default: "1.50" },
    { name: "seen", type: "timestamp", nullable: true, default: "now()" },
    { name: "code", type: "text", nullable: true, unique: true },
  ]);
  expect(record.indexes).toEqual([
    { columns: ["code"], unique: true, state: "ready" },
    { columns: ["name", "b"], unique: false, state: "ready" },
  ]);
  expect(plan).toMatchObject({ rows: 1, rewrites_table: false, waits: "everybody", confirm_required: true });
  expect(plan.losses).toMatchObject([{ pointer: "/drop_columns/0", rows: 1 }]);
  await table.insert({ name: "y" });
  expect(await table.values()).toEqual([
    { name: "x", b: 1, price: "1.50", seen: expect.any(String), code: null },
    { name: "y", b: 7, price: "1.50", seen: expect.any(String), code: null },
  ]);
});

test("two columns exchange their names, and keep their values", async () => {
  const table = await makeTable(server, { a: "text", b: "text" });
  await table.insert({ a: "of a", b: "of b" });
  const names = [
    { from: "a", to: "b" },
    { from: "b", to: "a" },
  ];
  await change(table.name, { rename_columns: names });
  expect(await table.values()).toEqual([{ a: "of b", b: "of a" }]);
});

test("a renamed table has its rows, and its old name is free, also for what belonged to it", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "x" });
  const to = freshName();
  const { table: record } = await change(table.name, { rename_to: to });
  expect(record).toMatchObject({ table_name: to, id: table.record.id });
  expect(await refusal(table.rows())).toMatchObject({ status: 404 });
  const api = await server.tables();
  expect((await api.listRows({ tenantId: 1, table: to })).data.rows).toMatchObject([{ a: "x" }]);
  for (const name of [`${table.name}_pkey`, `${table.name}_id_seq`, table.name])
    await makeTable(server, { b: "text" }, { name });
});

test("a name that is in use answers 400, and nothing is changed", async () => {
  const [table, other] = [await makeTable(server, { a: "text" }), await makeTable(server, { a: "text" })];
  await server.sql.unsafe("create table tenant_1.trx_loan (a text)");
  for (const name of [other.name, "trx_loan"]) {
    const answer = await patch(table.name, { rename_to: name, description: "new" });
    expect(answer).toMatchObject({ status: 400, code: "table_name_in_use", pointers: ["/rename_to"] });
  }
  expect(await definitionOf(server, table.name)).toMatchObject({ version: 1, description: "" });
});

test("types become wider, and text looks as it did in answers", async () => {
  const columns = { a: "integer", b: "bigint", c: "timestamp", d: "boolean", e: "jsonb" } as const;
  const table = await makeTable(server, columns);
  await table.insert({ a: 1, b: "9007199254740993", c: "2026-01-02T03:04:05+07:00", d: true, e: { f: [1] } });
  const { plan } = await change(table.name, {
    alter_columns: [
      { name: "a", type: "bigint", default: 5 },
      { name: "b", type: "numeric" },
      { name: "c", type: "text" },
      { name: "d", type: "text" },
      { name: "e", type: "text" },
    ],
  });
  expect(plan).toMatchObject({ rewrites_table: true, waits: "everybody", confirm_required: false });
  await table.insert({ b: "1.5" });
  expect(await table.values()).toEqual([
    { a: "1", b: "9007199254740993", c: "2026-01-01T20:04:05.000000Z", d: "true", e: '{"f": [1]}' },
    { a: "5", b: "1.5", c: null, d: null, e: null },
  ]);
});

test("a reference refuses rows that refer to nothing, and does what on_delete says", async () => {
  const parent = await makeTable(server, { name: "text" });
  await parent.insert({ name: "one" }, { name: "two" }, { name: "three" });
  const child = await makeTable(server, { a: "bigint", b: "bigint", c: "integer" });
  const references = (on_delete: "restrict" | "cascade" | "set_null") => ({ table: parent.name, on_delete });
  await change(child.name, {
    alter_columns: [
      { name: "a", references: references("restrict") },
      { name: "b", references: references("cascade") },
      { name: "c", references: references("set_null") },
    ],
  });
  expect(await refusal(child.insert({ a: "99" }))).toMatchObject({
    status: 409,
    code: "reference_violation",
  });
  await child.insert({ a: "1" }, { a: null }, { a: null });
  await child.update({ id: "3" }, { b: "2" });
  await child.update({ id: "4" }, { c: 3 });
  expect(await refusal(parent.remove({ name: "one" }))).toMatchObject({ status: 409 });
  await parent.remove({ name: "two" });
  await parent.remove({ name: "three" });
  expect(await child.values()).toEqual([
    { a: "1", b: null, c: null },
    { a: null, b: null, c: null },
  ]);
  // The other table's name changes in both.
  const to = freshName();
  await change(parent.name, { rename_to: to });
  const { columns } = await definitionOf(server, child.name);
  expect(columns.map(({ references }) => references?.table)).toEqual([to, to, to]);
  expect(await send(server, `DELETE ${tablePath(to)}?confirm=true`)).toMatchObject({
    status: 400,
    code: "table_has_dependents",
    body: { message: expect.stringContaining(`"${child.name}"`) },
  });
  await change(child.name, {
    alter_columns: ["a", "b", "c"].map((name) => ({ name, references: null })),
  });
  expect(await send(server, `DELETE ${tablePath(to)}?confirm=true`)).toMatchObject({ status: 200 });
});

describe("what rows do not allow", () => {
  const cases: readonly (readonly [string, TableAlteration, readonly string[]])[] = [
    ["null", { alter_columns: [{ name: "a", nullable: false }] }, ["3"]],
    ["duplicates", { alter_columns: [{ name: "a", unique: true }] }, ["1", "2"]],
    ["duplicates of two", { add_indexes: [{ columns: ["a", "b"], unique: true }] }, ["1", "2"]],
    ["missing rows", { alter_columns: [{ name: "r", references: { table: "parents" } }] }, ["2", "3"]],
    ["large values", { add_indexes: [{ columns: ["t"] }] }, ["1"]],
  ];
  test.each(cases)(
    "%s: the plan names them, the change answers 409, nothing is changed",
    async (_, alteration, ids) => {
      if (!(await send(server, `GET ${tablePath("parents")}`)).body.success)
        await (await makeTable(server, { a: "text" }, { name: "parents" })).insert({ a: "x" });
      const table = await makeTable(server, { a: "text", b: "integer", r: "bigint", t: "text" });
      const noise = Array.from({ length: 4_000 }, (_, n) =>
        String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)),
      );
      await table.insert(
        { a: "x", b: 1, r: "1", t: noise.join("") },
        { a: "x", b: 1, r: "7", t: "short" },
        { a: null, b: 2, r: "8", t: null },
      );
      const { plan } = await change(table.name, alteration, { dryRun: true });
      expect(plan.failures).toMatchObject([{ rows: ids.length, row_ids: ids }]);
      const refused = await refusal(change(table.name, alteration));
      expect(refused).toMatchObject({ status: 409, code: "change_impossible" });
      expect(refused.body.failures).toEqual(plan.failures);
      expect(await definitionOf(server, table.name)).toMatchObject({ version: 1, indexes: [] });
      expect(await auditOf(server, table.name)).toContainEqual(
        expect.objectContaining({ action: "alter_table", outcome: "failure" }),
      );
    },
  );
});

test("a dry run changes nothing, and shows the table as it would be", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "x" });
  const alteration = {
    rename_to: freshName(),
    drop_columns: ["a"],
    add_columns: [{ name: "b", type: "date" }],
  };
  const { table: preview, plan } = await change(table.name, alteration as TableAlteration, { dryRun: true });
  expect(preview).toMatchObject({ table_name: alteration.rename_to, columns: [{ name: "b" }], version: 2 });
  expect(plan.steps.map(({ pointer }) => pointer)).toEqual([
    "/drop_columns/0",
    "/add_columns/0",
    "/rename_to",
  ]);
  expect(await table.values()).toEqual([{ a: "x" }]);
  expect((await auditOf(server, table.name)).map(({ action }) => action)).toEqual(["create_table", "insert"]);
});

test("a change that drops a column needs confirm=true", async () => {
  const table = await makeTable(server, { a: "text", b: "text" });
  const refused = await refusal(change(table.name, { drop_columns: ["a"] }));
  expect(refused).toMatchObject({ status: 400, code: "confirmation_required" });
  expect((await definitionOf(server, table.name)).columns).toHaveLength(2);
});

test("If-Match refuses a change of a definition that somebody else changed", async () => {
  const table = await makeTable(server, { a: "text" });
  const shown = await send(server, `GET ${tablePath(table.name)}`);
  const tag = shown.headers.get("etag") ?? "";
  expect(tag).toBe(`"${table.record.id}-1"`);
  await change(table.name, { description: "first" }, { ifMatch: `"0-1", ${tag}` });
  const second = await refusal(change(table.name, { description: "second" }, { ifMatch: tag }));
  expect(second).toMatchObject({ status: 412, code: "precondition_failed" });
  expect((await definitionOf(server, table.name)).description).toBe("first");
});

test("the audit trail has the statements of a change", async () => {
  const table = await makeTable(server, { a: "text" });
  await change(table.name, { rename_columns: [{ from: "a", to: "b" }], add_indexes: [{ columns: ["b"] }] });
  const [, record] = await auditOf(server, table.name);
  expect(record).toMatchObject({ action: "alter_table", actor: "alice", outcome: "success" });
  expect(record?.statement).toContain(
    `alter table "tenant_1"."${table.name}" rename "a" to "b"; create index`,
  );
});

describe("a request that makes no sense answers 400 with all its faults", () => {
  const cases: readonly (readonly [unknown, string, readonly string[]])[] = [
    [{}, "invalid_body", [""]],
    [{ drop_columns: ["nope"] }, "unknown_column", ["/drop_columns/0"]],
    [{ drop_columns: ["id"] }, "built_in_column", ["/drop_columns/0"]],
    [{ drop_columns: ["a", "b"] }, "invalid_body", [""]],
    [{ drop_columns: ["a", "a"] }, "invalid_body", ["/drop_columns/1"]],
    [
      { drop_columns: ["a"], rename_columns: [{ from: "a", to: "c" }] },
      "invalid_body",
      ["/rename_columns/0/from"],
    ],
    [{ rename_columns: [{ from: "a", to: "b" }] }, "duplicate_column", ["/rename_columns/0/to"]],
    [{ rename_columns: [{ from: "a", to: "xmin" }] }, "built_in_column", ["/rename_columns/0/to"]],
    [{ add_columns: [{ name: "a", type: "text" }] }, "duplicate_column", ["/add_columns/0/name"]],
    [
      { add_columns: [{ name: "c", type: "date", default: "soon" }] },
      "invalid_value",
      ["/add_columns/0/default"],
    ],
    [{ alter_columns: [{ name: "a", type: "integer" }] }, "invalid_body", ["/alter_columns/0/type"]],
    [{ alter_columns: [{ name: "b", type: "date" }] }, "invalid_body", ["/alter_columns/0/type"]],
    [{ alter_columns: [{ name: "b", default: 1.5 }] }, "invalid_value", ["/alter_columns/0/default"]],
    [
      { alter_columns: [{ name: "a", references: { table: "x" } }] },
      "invalid_body",
      ["/alter_columns/0/references"],
    ],
    [
      { alter_columns: [{ name: "b", references: { table: "trx_loan" } }] },
      "invalid_body",
      ["/alter_columns/0/references/table"],
    ],
    [{ add_indexes: [{ columns: ["a", "nope"] }] }, "unknown_column", ["/add_indexes/0/columns/1"]],
    [{ add_indexes: [{ columns: ["a", "a"] }] }, "invalid_body", ["/add_indexes/0"]],
    [{ drop_indexes: [{ columns: ["a"] }] }, "invalid_body", ["/drop_indexes/0"]],
    [{ restore_columns: [{ name: "a" }] }, "unknown_column", ["/restore_columns/0/name"]],
    [{ rename_to: 'a"; drop table x' }, "invalid_body", ["/rename_to"]],
  ];
  test.each(cases)("%j", async (body, code, pointers) => {
    const table = await makeTable(server, { a: "text", b: "integer" });
    expect(await patch(table.name, body)).toMatchObject({ status: 400, code, pointers });
    expect(await definitionOf(server, table.name)).toMatchObject({ version: 1 });
  });
});

test("a transaction table and the table of another tenant answer 404 and cannot be referred to", async () => {
  const { name } = await makeTable(server, { a: "text" }, { caller: { tenant: 2 } });
  await server.sql.unsafe("create table if not exists tenant_1.trx_loan (a text)");
  const own = await makeTable(server, { r: "bigint" });
  for (const other of [name, "trx_loan", "_tables", "_audit"]) {
    expect(await patch(other, { description: "mine" })).toMatchObject({ status: 404 });
    const referring = await patch(own.name, { alter_columns: [{ name: "r", references: { table: other } }] });
    expect(referring).toMatchObject({ status: 400 });
  }
});

test("quotes and backslashes of a default stay what they are", async () => {
  const table = await makeTable(server, { a: "integer" });
  const values = ["'", "''; drop table x; --", "\\", "\\'", '"', "$$", "%s", "now()", "é\u{1f600}"];
  await change(table.name, {
    add_columns: values.map((value, n) => ({ name: `c${n}`, type: "text" as const, default: value })),
  });
  await table.insert({ a: 1 });
  const [row] = await table.values();
  expect(values.map((_, n) => row?.[`c${n}`])).toEqual(values);
});

test("names of 63 bytes work for tables, columns and what belongs to them", async () => {
  const long = (letter: string) => letter.repeat(63);
  const table = await makeTable(server, { [long("a")]: "text" }, { name: long("t") });
  await change(table.name, {
    rename_to: long("u"),
    rename_columns: [{ from: long("a"), to: long("b") }],
    add_columns: [{ name: long("c"), type: "integer", unique: true }],
    add_indexes: [{ columns: [long("b"), long("c")] }],
  });
  await change(long("u"), { drop_columns: [long("c")] }, { confirm: true });
  await change(long("u"), { restore_columns: [{ name: long("c"), as: long("d") }] });
  const { columns, indexes } = await definitionOf(server, long("u"));
  expect(columns.map(({ name }) => name)).toEqual([long("b"), long("d")]);
  expect(indexes?.map(({ columns }) => columns)).toEqual([[long("d")], [long("b"), long("d")]]);
});

test("a table has 1,600 columns in all, and dropped ones count", async () => {
  const names = Array.from({ length: 1_000 }, (_, n) => `c${n}`);
  const table = await makeTable(server, Object.fromEntries(names.map((name) => [name, "text"])));
  const more = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `d${from + n}`, type: "text" as const }));
  await change(
    table.name,
    { drop_columns: names.slice(0, 500), add_columns: more(0, 500) },
    { confirm: true, purge: true },
  );
  const refused = await refusal(change(table.name, { add_columns: more(500, 98) }));
  expect(refused).toMatchObject({ status: 409, code: "change_impossible", pointers: ["/add_columns"] });
  expect(refused.body.errors[0].detail).toContain("97 left");
  await change(table.name, { add_columns: more(500, 97) });
});

test("dropped columns can be restored, with their values and their indexes", async () => {
  const table = await makeTable(server, { a: "text not null", b: "integer", c: "text" });
  await table.insert({ a: "x", b: 1, c: "kept" });
  await change(table.name, { alter_columns: [{ name: "a", unique: true, default: "d" }] });
  await change(table.name, { drop_columns: ["a", "b"] }, { confirm: true });
  await table.insert({ c: "without a" });
  await change(table.name, { add_columns: [{ name: "a", type: "date" }] });
  const { dropped_columns } = await definitionOf(server, table.name);
  expect(dropped_columns).toMatchObject([
    { column: { name: "b" }, dropped: { by: "alice" } },
    { column: { name: "a", nullable: false, default: "d", unique: true } },
  ]);
  const { table: record } = await change(table.name, {
    restore_columns: [{ name: "a", as: "old_a" }, { name: "b" }],
  });
  expect(record.columns).toMatchObject([
    { name: "c" },
    { name: "a", type: "date" },
    { name: "old_a", nullable: true, default: "d", unique: true },
    { name: "b" },
  ]);
  expect(await table.values()).toEqual([
    { c: "kept", a: null, old_a: "x", b: 1 },
    { c: "without a", a: null, old_a: null, b: null },
  ]);
  expect((await definitionOf(server, table.name)).dropped_columns).toEqual([]);
});

test("a change that is repeated with its Idempotency-Key happens once", async () => {
  const table = await makeTable(server, { a: "text" });
  const repeat = () =>
    send(server, `PATCH ${tablePath(table.name)}`, {
      body: { add_columns: [{ name: "b", type: "text" }] },
      headers: { "Idempotency-Key": `of-${table.name}` },
    });
  const [first, second] = [await repeat(), await repeat()];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.text).toBe(first.text);
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(second.headers.get("etag")).toBe(first.headers.get("etag"));
  expect(await definitionOf(server, table.name)).toMatchObject({ version: 2 });
});

test("a row that would be too large for PostgreSQL is no fault of ours, and the answer says so", async () => {
  const names = Array.from({ length: 1_100 }, (_, n) => `c${n}`);
  const table = await makeTable(server, Object.fromEntries(names.map((name) => [name, "integer"])));
  await table.insert(Object.fromEntries(names.map((name) => [name, 1])));
  const refused = await refusal(
    change(table.name, { alter_columns: names.map((name) => ({ name, type: "bigint" as const })) }),
  );
  expect(refused).toMatchObject({ status: 409, code: "change_impossible" });
  expect(refused.body.message).toContain("too large");
});
