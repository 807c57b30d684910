import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { auditOf, makeTable, refusal, send, type TestTable } from "../../support/tables.ts";

setDefaultTimeout(60_000);

let server: TestServer;
let table: TestTable;
beforeAll(async () => {
  server = await startServer();
  table = await makeTable(server, { name: "text not null", n: "integer" });
  await table.insert({ name: "Siti", n: 0 }, { name: "Budi", n: 0 });
});
afterAll(() => server.stop());

const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  send(server, `PATCH ${table.path}/${id}`, { body, headers });

test("columns of one row are set, and the answer has its tag", async () => {
  const api = await server.tables();
  const target = { tenantId: 1, table: table.name, id: "1" };
  const { data } = await api.updateRow({ ...target, requestBody: { n: 5 }, prefer: "return=representation" });
  expect(data).toMatchObject({ affected_rows: 1, rows: [{ id: "1", name: "Siti", n: 5 }] });
  expect((await table.values()).map(({ n }) => n)).toEqual([5, 0]);
  const answer = await patch("1", { n: 6 });
  expect(answer.body).toEqual({ success: true, message: "1 row was updated.", data: { affected_rows: 1 } });
  const [row] = await server.sql.unsafe(`select xmin::text from tenant_1."${table.name}" where id = 1`);
  expect(answer.headers.get("etag")).toBe(`"1-${row?.xmin}"`);
});

test("If-Match lets a change pass while the row is the one that was read", async () => {
  const tag = (await patch("2", { n: 1 })).headers.get("etag") ?? "";
  const lists = [`"x", W/${tag}, ${tag}`, ` ${tag} ,`];
  expect(await patch("2", { n: 2 }, { "If-Match": lists[0] ?? "" })).toMatchObject({ status: 200 });
  const again = await patch("2", { n: 3 }, { "If-Match": lists[1] ?? "" });
  expect(again).toMatchObject({ status: 412, code: "precondition_failed" });
  expect(await patch("2", { n: 4 }, { "If-Match": "*" })).toMatchObject({ status: 200 });
  for (const none of ['"2-1"', `W/${tag}`, '""', tag.replace("2-", "1-"), ""])
    expect((await patch("2", { n: 5 }, { "If-Match": none })).status).toBe(412);
  for (const bad of ["2-1", '"a" "b"', '"', "*, *", "W/"])
    expect(await patch("2", { n: 5 }, { "If-Match": bad })).toMatchObject({
      status: 400,
      pointers: ["/header/if-match"],
    });
  expect((await table.values({ id: "2" })).map(({ n }) => n)).toEqual([4]);
});

test("of many clients that count with If-Match, none overwrites another one", async () => {
  const counted = await makeTable(server, { n: "integer" });
  await counted.insert({ n: 0 });
  const path = `${counted.path}/1`;
  const first = await send(server, `PATCH ${path}`, { body: { n: 0 } });
  let known = { n: 0, tag: first.headers.get("etag") ?? "" };
  let passed = 0;
  const client = async () => {
    for (let round = 0; round < 15; round++) {
      const { n, tag } = known;
      const answer = await send(server, `PATCH ${path}`, {
        body: { n: n + 1 },
        headers: { "If-Match": tag },
      });
      if (answer.status === 200) {
        passed++;
        known = { n: n + 1, tag: answer.headers.get("etag") ?? "" };
      } else expect(answer.status).toBe(412);
    }
  };
  await Promise.all(Array.from({ length: 6 }, client));
  expect(await counted.values()).toEqual([{ n: passed }]);
  expect(passed).toBeGreaterThan(0);
});

test("a row or a table that does not exist answers 404, whatever If-Match says", async () => {
  for (const id of ["99", "9999999999999999999", "-1"])
    for (const headers of [{}, { "If-Match": "*" }, { "If-Match": '"99-1"' }] as Record<string, string>[])
      expect(await patch(id, { n: 1 }, headers)).toMatchObject({ status: 404, code: "row_not_found" });
  expect(
    await send(server, `PATCH ${table.path.replace(table.name, "nothing")}/1`, { body: { n: 1 } }),
  ).toMatchObject({
    code: "table_not_found",
  });
  expect((await patch("one", { n: 1 })).status).toBe(400);
});

test("what is wrong with the values is reported with its column", async () => {
  const answer = await patch("1", { name: null, n: "x", id: 7, colour: 1 });
  expect(answer.status).toBe(400);
  expect(answer.pointers).toEqual(["/name", "/n", "/id", "/colour"]);
  for (const body of [{}, [], 7, null]) expect((await patch("1", body)).status).toBe(400);
  const api = await server.tables();
  const change = api.updateRow({ tenantId: 1, table: table.name, id: "1", requestBody: { n: 1.5 } });
  expect(await refusal(change)).toMatchObject({ code: "invalid_value" });
});

test("a change that was made has one record, and a refused one a failure", async () => {
  const own = await makeTable(server, { n: "integer" });
  await own.insert({ n: 1 });
  await send(server, `PATCH ${own.path}/1`, { body: { n: 2 } });
  await send(server, `PATCH ${own.path}/1`, { body: { n: 3 }, headers: { "If-Match": '"1-1"' } });
  await send(server, `PATCH ${own.path}/9`, { body: { n: 3 } });
  const records = (await auditOf(server, own.name)).filter(({ action }) => action === "update");
  expect(records.map(({ outcome, affected_rows }) => [outcome, affected_rows])).toEqual([
    ["success", 1],
    ["failure", null],
    ["failure", null],
  ]);
  expect(records.map(({ error }) => error?.split(":")[0])).toEqual([
    undefined,
    "precondition_failed",
    "row_not_found",
  ]);
});

test("requests on several rows take If-Match with a condition on id alone", async () => {
  const tag = (await patch("1", { n: 1 })).headers.get("etag") ?? "";
  const update = (where: unknown, ifMatch: string) =>
    send(server, `PATCH ${table.path}`, { body: { where, set: { n: 2 } }, headers: { "If-Match": ifMatch } });
  expect(await update({ id: 1 }, '"1-1"')).toMatchObject({ status: 412 });
  expect(await update({ id: 99 }, "*")).toMatchObject({ status: 412 });
  expect(await update({ id: "1" }, tag)).toMatchObject({ status: 200, body: { data: { affected_rows: 1 } } });
  for (const where of [{ n: 1 }, { id: 1, n: 1 }, { id: null }, { id: "x" }, {}, 7])
    expect(await update(where, "*")).toMatchObject({ status: 400, pointers: ["/header/if-match"] });
});

test("with an idempotency key, a repeated change gets the first answer and its tag", async () => {
  const tag = (await patch("1", { n: 1 })).headers.get("etag") ?? "";
  const headers = { "If-Match": tag, "Idempotency-Key": crypto.randomUUID() };
  const first = await patch("1", { n: 2 }, headers);
  expect(first.status).toBe(200);
  const again = await patch("1", { n: 2 }, headers);
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
});
