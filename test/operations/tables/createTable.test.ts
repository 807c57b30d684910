import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { definitions, freshName, makeTable, refusal, send, tablesPath } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const create = (body: unknown) => send(server, `POST ${tablesPath()}`, { body });
const text = (name: string) => ({ name, type: "text" });

test("a created table answers 201 with its record in the envelope", async () => {
  const api = await server.tables();
  const columns = definitions({
    full_name: "text not null",
    age: "integer",
    account: "bigint",
    income: "numeric",
    active: "boolean",
    born: "date",
    seen: "timestamp",
    profile: "jsonb",
  });
  const newTable = { name: "customers", description: "Who borrows", columns };
  const response = await api.createTableRaw({ tenantId: 1, newTable });
  expect(response.raw.status).toBe(201);
  const { success, message, data } = await response.value();
  expect({ success, message }).toEqual({ success: true, message: 'Table "customers" was created.' });
  expect(data).toMatchObject({ table_name: "customers", description: "Who borrows", columns });
  expect(data.id).toBeInteger();
  expect(data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(data.updated_at).toBe(data.created_at);
});

test("description defaults to empty and nullable to true", async () => {
  const { status, body } = await create({ name: freshName(), columns: [text("a")] });
  expect(status).toBe(201);
  expect(body.data.description).toBe("");
  expect(body.data.columns).toEqual([{ name: "a", type: "text", nullable: true }]);
});

test("nullable false is enforced, nullable true is not", async () => {
  const table = await makeTable(server, { must: "text not null", may: "text" });
  expect(await table.insert({ must: "x", may: null })).toBe(1);
  expect((await refusal(table.insert({ must: null, may: "x" }))).pointers).toEqual(["/rows/0/must"]);
});

test("any other column type is refused", async () => {
  for (const type of ["varchar", "TEXT", "serial", "timestamptz", "text[]", "numeric(10,2)", "", null, 1]) {
    const answer = await create({ name: freshName(), columns: [{ name: "a", type }] });
    expect(answer).toMatchObject({ status: 400, code: "invalid_body" });
    expect(answer.pointers).toContain("/columns/0/type");
  }
});

test("built-in and system columns are refused", async () => {
  const names = ["id", "created_at", "updated_at", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];
  const answer = await create({ name: freshName(), columns: names.map(text) });
  expect(answer).toMatchObject({ status: 400, code: "built_in_column" });
  expect(answer.pointers).toEqual(names.map((_, index) => `/columns/${index}/name`));
});

test("a column that is defined twice is refused", async () => {
  const answer = await create({ name: freshName(), columns: [text("a"), text("b"), text("a")] });
  expect(answer).toMatchObject({ status: 400, code: "duplicate_column", pointers: ["/columns/2/name"] });
});

test("a table has 1 to 1,500 columns", async () => {
  const columns = Array.from({ length: 1501 }, (_, n) => text(`column_${n}`));
  expect(await create({ name: freshName(), columns })).toMatchObject({ status: 400, pointers: ["/columns"] });
  expect(await create({ name: freshName(), columns: [] })).toMatchObject({ status: 400 });
  const name = freshName();
  expect(await create({ name, columns: columns.slice(1) })).toMatchObject({ status: 201 });
  const row = Object.fromEntries(columns.slice(1).map(({ name }, n) => [name, String(n % 10)]));
  const rows = `${tablesPath()}/${name}/rows`;
  expect(await send(server, `POST ${rows}`, { body: { rows: [row] } })).toMatchObject({ status: 201 });
  expect((await send(server, `GET ${rows}`)).body.data.rows).toMatchObject([row]);
});

test("one answer has all faults of a body, each with its pointer", async () => {
  const columns = [{ name: "Bad", type: "text" }, { name: "id", type: "blob" }, { name: "ok" }, 7];
  const answer = await create({ name: "No", description: 5, columns, extra: 1 });
  expect(answer).toMatchObject({ status: 400, code: "invalid_body" });
  expect(new Set(answer.pointers)).toEqual(
    new Set([
      "/name",
      "/description",
      "/columns/0/name",
      "/columns/1/name",
      "/columns/1/type",
      "/columns/2/type",
      "/columns/3",
      "/extra",
    ]),
  );
});

test("an answer has at most 100 faults", async () => {
  const columns = Array.from({ length: 300 }, () => ({ name: "Not A Name", type: "nothing" }));
  expect((await create({ name: freshName(), columns })).pointers).toHaveLength(100);
});

test("a name in use is refused, and its table does not change", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "kept" });
  const answer = await create({ name: table.name, columns: [text("b")] });
  expect(answer).toMatchObject({ status: 400, code: "table_name_in_use", pointers: ["/name"] });
  expect(await table.values()).toEqual([{ a: "kept" }]);
});

test("bodies of the wrong kind are refused", async () => {
  for (const body of ["null", "[]", '"x"', "1", "1.0", "true", "{}"])
    expect(await create(body)).toMatchObject({ status: 400, code: "invalid_body" });
  for (const body of ["", "{", "{'a':1}", '{"name":1,"name":2}', "[".repeat(200) + "]".repeat(200)])
    expect(await create(body)).toMatchObject({ status: 400, code: "invalid_json" });
  const path = `POST ${tablesPath()}`;
  for (const type of ["text/plain", "application/xml", "application/json; charset=utf-16"]) {
    const headers = { "content-type": type };
    expect(await send(server, path, { body: "{}", headers })).toMatchObject({ status: 415 });
  }
});

test("a body above 1 MiB is refused", async () => {
  const body = { name: freshName(), description: "x".repeat(1024 ** 2), columns: [text("a")] };
  expect(await create(body)).toMatchObject({ status: 413, code: "payload_too_large" });
});

test("the description is stored unchanged, up to 10,000 characters", async () => {
  const description = `'; drop table x; -- "${"é".repeat(9_000)}`;
  const answer = await create({ name: freshName(), description, columns: [text("a")] });
  expect(answer.body.data.description).toBe(description);
  const long = { name: freshName(), description: "x".repeat(10_001), columns: [text("a")] };
  expect(await create(long)).toMatchObject({ status: 400, pointers: ["/description"] });
});

test("a refused request creates no table", async () => {
  const name = freshName();
  await create({ name, columns: [text("a"), text("a")] });
  expect(await send(server, `GET ${tablesPath()}/${name}`)).toMatchObject({ status: 404 });
  expect(await server.sql`select to_regclass(${`tenant_1.${name}`}) as oid`).toMatchObject([{ oid: null }]);
});

test("columns have defaults, descriptions, references and unique values, and the table has indexes", async () => {
  const parent = await makeTable(server, { a: "text" });
  await parent.insert({ a: "x" });
  const name = freshName();
  const body = {
    name,
    columns: [
      { name: "code", type: "text", nullable: false, unique: true, description: "Ours" },
      { name: "amount", type: "numeric", nullable: false, default: 1.5 },
      { name: "parent", type: "bigint", references: { table: parent.name, on_delete: "cascade" } },
      { name: "before", type: "bigint", references: { table: name } },
    ],
    indexes: [{ columns: ["amount", "code"] }],
  };
  const created = await send(server, `POST ${tablesPath()}`, { body });
  expect(created).toMatchObject({ status: 201 });
  expect(created.body.data).toMatchObject({
    version: 1,
    columns: [
      { name: "code", type: "text", nullable: false, unique: true, description: "Ours" },
      { name: "amount", type: "numeric", nullable: false, default: "1.5" },
      { name: "parent", references: { table: parent.name, on_delete: "cascade" } },
      { name: "before", references: { table: name, on_delete: "restrict" } },
    ],
    indexes: [
      { columns: ["code"], unique: true, state: "ready" },
      { columns: ["amount", "code"], unique: false, state: "ready" },
    ],
  });
  const insert = (row: object) =>
    send(server, `POST ${tablesPath()}/${name}/rows`, { body: { rows: [row] } });
  expect(await insert({ code: "a", parent: "1" })).toMatchObject({ status: 201 });
  expect(await insert({ code: "a" })).toMatchObject({ status: 409, code: "unique_violation" });
  expect(await insert({ code: "b", parent: "9" })).toMatchObject({
    status: 409,
    code: "reference_violation",
  });
  expect(await insert({ code: "b", before: "1" })).toMatchObject({ status: 201 });
  const page = await send(server, `GET ${tablesPath()}/${name}/rows`);
  expect(page.body.data.rows).toMatchObject([{ amount: "1.5" }, { amount: "1.5" }]);
});

test("a default that does not fit, a reference to nothing and an index on nothing are refused together", async () => {
  const name = freshName();
  const body = {
    name,
    columns: [
      { name: "a", type: "date", default: "2026-02-30" },
      { name: "b", type: "bigint", references: { table: "nowhere" } },
      { name: "c", type: "text", references: { table: name } },
    ],
    indexes: [{ columns: ["d"] }],
  };
  expect(await send(server, `POST ${tablesPath()}`, { body })).toMatchObject({
    status: 400,
    pointers: [
      "/columns/0/default",
      "/columns/1/references/table",
      "/columns/2/references",
      "/indexes/0/columns/0",
    ],
  });
  expect(await send(server, `GET ${tablesPath()}/${name}`)).toMatchObject({ status: 404 });
});
