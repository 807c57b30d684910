import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, refusal, rowsPath, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("a row is found by its id, as the list shows it", async () => {
  const table = await makeTable(server, {
    b: "text",
    n: "numeric",
    j: "jsonb",
    t: "timestamp",
    json: "integer",
  });
  await table.insert(
    { b: "first", n: "1.10", j: { a: [1.5, null] }, t: "2026-01-31T08:30:00+07:00", json: 1 },
    { b: null, n: null, j: null, t: null, json: null },
  );
  const api = await server.tables();
  for (const row of await table.rows()) {
    const { data } = await api.getRow({ tenantId: 1, table: table.name, id: row.id });
    expect(data).toEqual(row);
    expect(Object.keys(data)).toEqual(["id", "created_at", "updated_at", "b", "n", "j", "t", "json"]);
  }
});

test("the answer's ETag is the one that If-Match takes", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "x" });
  const tag = (await send(server, `GET ${table.path}/1`)).headers.get("etag") ?? "";
  const change = (a: string) =>
    send(server, `PATCH ${table.path}/1`, { body: { a }, headers: { "if-match": tag } });
  expect(await change("y")).toMatchObject({ status: 200 });
  expect(await change("z")).toMatchObject({ status: 412 });
  const after = await send(server, `GET ${table.path}/1`);
  expect(after.headers.get("etag")).not.toBe(tag);
  expect(after.body.data.a).toBe("y");
});

test("a row that does not exist answers 404, whatever its id is", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "x" }, { a: "y" });
  await table.remove({ id: 2 });
  const api = await server.tables();
  for (const id of [
    "2",
    "0",
    "-1",
    "3",
    "9223372036854775807",
    "9223372036854775808",
    "9999999999999999999",
  ]) {
    const answer = await refusal(api.getRow({ tenantId: 1, table: table.name, id }));
    expect(answer).toMatchObject({ status: 404, code: "row_not_found" });
    expect(answer.body.message).toBe(`Table "${table.name}" has no row with the id ${id}.`);
  }
  for (const id of ["x", "1.0", "1e0", "%201", "10000000000000000000", "1;", "%00"])
    expect(await send(server, `GET ${table.path}/${id}`)).toMatchObject({
      status: 400,
      pointers: ["/path/id"],
    });
});

test("a row of another tenant, or of a table that is gone, answers 404", async () => {
  const other = await makeTable(server, { a: "text" }, { caller: { tenant: 2 } });
  await other.insert({ a: "secret" });
  expect(await send(server, `GET ${other.path}/1`)).toMatchObject({ status: 401 });
  expect(await send(server, `GET ${rowsPath(other.name)}/1`)).toMatchObject({ code: "table_not_found" });
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "x" });
  expect(await send(server, `GET ${table.path}/1`)).toMatchObject({ status: 200 });
  await table.drop();
  expect(await send(server, `GET ${table.path}/1`)).toMatchObject({ code: "table_not_found" });
  await makeTable(server, { b: "text" }, { name: table.name });
  expect(await send(server, `GET ${table.path}/1`)).toMatchObject({ code: "row_not_found" });
});

test("a row that is too large for an answer is refused", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const table = await makeTable(server, Object.fromEntries(names.map((name) => [name, "text" as const])));
  await table.insert({ a: "first" });
  for (const name of names) await table.update({ id: 1 }, { [name]: "x".repeat(12 * 1024 ** 2) });
  expect(await send(server, `GET ${table.path}/1`)).toMatchObject({ status: 400, code: "answer_too_large" });
});
