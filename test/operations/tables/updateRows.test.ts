import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { exactly, makeTable, rowsPath, send, type TestTable } from "../../support/tables.ts";

let server: TestServer;
let table: TestTable;
beforeAll(async () => {
  server = await startServer();
});
beforeAll(async () => {
  table = await makeTable(server, { name: "text not null", age: "integer", income: "numeric", doc: "jsonb" });
  await table.insert({ name: "Siti", age: 30, doc: { a: 1 } }, { name: "Budi", age: 40, doc: null });
});
afterAll(() => server.stop());

const patch = (body: unknown) => send(server, `PATCH ${table.path}`, { body });

test("every matching row is updated: 200 with the number of rows", async () => {
  const own = await makeTable(server, { a: "text", b: "integer" });
  await own.insert({ a: "x", b: 1 }, { a: "x", b: 2 }, { a: "y", b: 3 });
  const body = { where: { a: "x" }, set: { b: 9 } };
  const answer = await send(server, `PATCH ${own.path}`, { body });
  expect(answer.status).toBe(200);
  const message = "2 rows were updated.";
  expect(answer.body).toEqual({ success: true, message, data: { affected_rows: 2 } });
  expect(await own.values()).toEqual([
    { a: "x", b: 9 },
    { a: "x", b: 9 },
    { a: "y", b: 3 },
  ]);
  expect(await own.update({ a: "z" }, { b: 0 })).toBe(0);
});

test("conditions are combined with AND", async () => {
  expect(await table.update({ name: "Siti", age: 40 }, { age: 1 })).toBe(0);
  expect(await table.update({ name: "Siti", age: 30 }, { age: 31 })).toBe(1);
});

test("null in where means IS NULL, null in set writes null", async () => {
  expect(await table.update({ doc: null }, { doc: [1] })).toBe(1);
  expect(await table.update({ name: "Budi" }, { doc: null })).toBe(1);
  expect(await table.values({ name: "Budi" })).toMatchObject([{ doc: null }]);
  expect(await table.update({ created_at: null }, { age: 1 })).toBe(0);
});

test("updated_at changes, created_at and id do not", async () => {
  const [before] = await table.rows({ name: "Siti" });
  await table.update({ name: "Siti" }, { age: 32 });
  const [after] = await table.rows({ name: "Siti" });
  expect(after).toMatchObject({ id: before?.id, created_at: before?.created_at });
  expect(String(after?.updated_at) > String(before?.updated_at)).toBe(true);
});

test("an id may be a string or a number, and other built-in columns can be conditions", async () => {
  const [row] = await table.rows({ name: "Siti" });
  for (const id of [row?.id, Number(row?.id), exactly(`${row?.id}.0`)])
    expect(await table.update({ id }, { age: 33 })).toBe(1);
  const [moved] = await table.rows({ name: "Siti" });
  expect(await table.update({ updated_at: moved?.updated_at, id: row?.id }, { age: 34 })).toBe(1);
  expect(await table.update({ id: "9223372036854775807" }, { age: 0 })).toBe(0);
});

test("a column may be in where and in set", async () => {
  expect(await table.update({ name: "Budi" }, { name: "Budi Santoso" })).toBe(1);
  expect(await table.update({ name: "Budi Santoso" }, { name: "Budi" })).toBe(1);
});

test("where and set are required and must not be empty", async () => {
  const before = await table.rows();
  const set = { age: 0 };
  const where = { name: "Siti" };
  for (const body of [{ set }, { set, where: {} }, { set, where: null }, { set, where: [] }])
    expect(await patch(body)).toMatchObject({ status: 400, pointers: ["/where"] });
  for (const body of [{ where }, { where, set: {} }, { where, set: "x" }, { where, set: [1] }])
    expect(await patch(body)).toMatchObject({ status: 400, pointers: ["/set"] });
  expect(await patch({})).toMatchObject({ status: 400, pointers: ["/where", "/set"] });
  expect(await patch(`{"where":1.0,"set":12345678901234567890}`)).toMatchObject({
    status: 400,
    pointers: ["/where", "/set"],
  });
  expect(await table.rows()).toEqual(before);
});

test("built-in columns cannot be set", async () => {
  const set = { id: 1, created_at: "2026-01-01T00:00:00Z", updated_at: null };
  const answer = await patch({ where: { name: "Siti" }, set });
  expect(answer).toMatchObject({ status: 400, code: "built_in_column" });
  expect(answer.pointers).toEqual(["/set/id", "/set/created_at", "/set/updated_at"]);
});

test("one answer has all faults of where and set", async () => {
  const where = { colour: 1, age: "30", ctid: "(0,1)" };
  const set = { name: null, age: 2.5, "x/y": 1, income: "NaN" };
  const answer = await patch({ where, set, returning: "*" });
  expect(answer.status).toBe(400);
  const inWhere = ["/where/colour", "/where/age", "/where/ctid"];
  const inSet = ["/set/name", "/set/age", "/set/x~1y", "/set/income"];
  expect(new Set(answer.pointers)).toEqual(new Set([...inWhere, ...inSet, "/returning"]));
});

test("an answer has at most 100 faults", async () => {
  const where = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`no_${n}`, n]));
  expect((await patch({ where, set: { age: 1 } })).pointers).toHaveLength(100);
});

test("a column that does not allow null cannot be set to null, but can be compared with null", async () => {
  const answer = await patch({ where: { name: null }, set: { name: null } });
  expect(answer).toMatchObject({ status: 400, code: "invalid_value", pointers: ["/set/name"] });
  expect(await table.update({ name: null }, { age: 1 })).toBe(0);
});

test("operators and SQL in where are values or faults", async () => {
  for (const age of [{ $gt: 0 }, [1, 2], "30 or true", true])
    expect(await patch({ where: { age }, set: { age: 0 } })).toMatchObject({ pointers: ["/where/age"] });
  expect(await table.update({ name: "' or ''='" }, { age: 0 })).toBe(0);
});

test("malformed JSON answers 400, another content type 415, an unknown table 404", async () => {
  expect(await patch('{"where":{"age":1,"age":2},"set":{"age":1}}')).toMatchObject({ code: "invalid_json" });
  expect(await patch("{")).toMatchObject({ status: 400, code: "invalid_json" });
  const headers = { "content-type": "application/merge-patch+json" };
  expect(await send(server, `PATCH ${table.path}`, { body: "{}", headers })).toMatchObject({ status: 415 });
  expect(await send(server, `PATCH ${table.path}`)).toMatchObject({ status: 415 });
  const body = { where: { a: 1 }, set: { a: 2 } };
  expect(await send(server, `PATCH ${rowsPath("nowhere")}`, { body })).toMatchObject({ status: 404 });
});
