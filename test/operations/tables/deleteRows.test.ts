import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, rowsPath, send, type TestTable } from "../../support/tables.ts";

let server: TestServer;
let table: TestTable;
beforeAll(async () => {
  server = await startServer();
});
beforeAll(async () => {
  table = await makeTable(server, { name: "text", age: "integer", income: "numeric", seen: "timestamp" });
  await table.insert({ name: "kept", age: 1, income: "1.50", seen: "2026-09-04T08:15:30.123456+07:00" });
});
afterAll(() => server.stop());

const remove = (body: unknown) => send(server, `DELETE ${table.path}`, { body });

test("every matching row is deleted: 200 with the number of rows", async () => {
  const own = await makeTable(server, { a: "text", b: "integer" });
  await own.insert({ a: "x", b: 1 }, { a: "x", b: 2 }, { a: "y", b: 2 });
  const answer = await send(server, `DELETE ${own.path}`, { body: { where: { a: "y" } } });
  expect(answer.status).toBe(200);
  const message = "1 row was deleted.";
  expect(answer.body).toEqual({ success: true, message, data: { affected_rows: 1 } });
  expect(await own.remove({ a: "x", b: 3 })).toBe(0);
  expect(await own.remove({ a: "x" })).toBe(2);
  expect(await own.rows()).toEqual([]);
});

test("null in where means IS NULL", async () => {
  await table.insert({ name: "gone", age: null });
  expect(await table.remove({ age: null })).toBe(1);
  expect(await table.remove({ age: null })).toBe(0);
});

test("values are compared by their column's type", async () => {
  const again = { name: "again", income: "1.5", seen: "2026-09-04T01:15:30.123456Z" };
  await table.insert(again, again, again);
  expect(await table.remove({ name: "again", id: (await table.rows({ name: "again" }))[0]?.id })).toBe(1);
  expect(await table.remove({ name: "again", income: 1.5, seen: "2026-09-04 08:15:30.1234560+07:00" })).toBe(
    2,
  );
});

test("where is required and must not be empty; no row is deleted", async () => {
  for (const where of ["{}", "null", "[]", '"x"', "1", "1.0", "true", "[{}]"])
    expect(await remove(`{"where":${where}}`)).toMatchObject({ status: 400, pointers: ["/where"] });
  expect(await remove({})).toMatchObject({ status: 400, pointers: ["/where"] });
  for (const body of ["null", "[]", "1", '"x"'])
    expect(await remove(body)).toMatchObject({ status: 400, code: "invalid_body" });
  expect(await table.values()).toMatchObject([{ name: "kept" }]);
});

test("one answer has unknown columns, invalid values and unknown members", async () => {
  const answer = await remove({ where: { age: "1", colour: null, __proto: 1, seen: "now" }, all: true });
  expect(answer.status).toBe(400);
  expect(new Set(answer.pointers)).toEqual(
    new Set(["/all", "/where/age", "/where/colour", "/where/__proto", "/where/seen"]),
  );
});

test("without a body, with another content type or with malformed JSON nothing is deleted", async () => {
  const headers = { "content-type": "text/plain" };
  const body = '{"where":{"name":"kept"}}';
  expect(await send(server, `DELETE ${table.path}`)).toMatchObject({ status: 415 });
  expect(await send(server, `DELETE ${table.path}`, { body, headers })).toMatchObject({ status: 415 });
  expect(await remove(body.slice(0, -1))).toMatchObject({ status: 400, code: "invalid_json" });
  const zipped = { "content-type": "application/json", "content-encoding": "gzip" };
  expect(await send(server, `DELETE ${table.path}`, { body, headers: zipped })).toMatchObject({
    status: 415,
  });
  expect(await table.values()).toMatchObject([{ name: "kept" }]);
});

test("a condition in the query is refused, not ignored", async () => {
  const answer = await send(server, `DELETE ${table.path}?name=kept`, { body: { where: { name: "kept" } } });
  expect(answer).toMatchObject({ status: 400, pointers: ["/query/name"] });
  expect(await table.values()).toMatchObject([{ name: "kept" }]);
});

test("a table that never existed answers 404", async () => {
  const answer = await send(server, `DELETE ${rowsPath("nowhere")}`, { body: { where: { a: 1 } } });
  expect(answer).toMatchObject({ status: 404, code: "table_not_found" });
});
