/** What a write tells of its rows: their ids, and with `Prefer: return=representation` the rows themselves. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Row } from "../../../sdk/src/generated/index.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send, type TestTable } from "../../support/tables.ts";

setDefaultTimeout(60_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const wholly = { Prefer: "return=representation" };
const target = ({ name: table }: TestTable) => ({ tenantId: 1, table });

test("ids are in the order of the given rows, also beside other inserts", async () => {
  const table = await makeTable(server, { n: "integer" });
  const api = await server.tables();
  const insert = async (first: number) => {
    const rows = Array.from({ length: 1_000 }, (_, at) => ({ n: (first + at * 7_919) % 1_000_003 }));
    const { data } = await api.insertRows({ ...target(table), newRows: { rows } });
    return rows.map(({ n }, at) => [data.ids?.[at], n] as const);
  };
  const given = (await Promise.all([1, 2_000, 50_000, 700_000].map(insert))).flat();
  const stored = await server.sql.unsafe(`select id::text, n from tenant_1."${table.name}"`);
  const byId = new Map(stored.map(({ id, n }) => [id, n]));
  expect(given.length).toBe(4_000);
  for (const [id, n] of given) expect(byId.get(id)).toBe(n);
});

test("more than 1,000 rows answer no ids, and return=minimal answers none", async () => {
  const table = await makeTable(server, { n: "integer" });
  const many = { rows: Array.from({ length: 1_001 }, (_, n) => ({ n })) };
  const answer = await send(server, `POST ${table.path}`, { body: many });
  expect(answer.body.data).toEqual({ affected_rows: 1_001 });
  const headers = { Prefer: "return=minimal" };
  const minimal = await send(server, `POST ${table.path}`, { body: { rows: [{ n: 1 }] }, headers });
  expect(minimal.body.data).toEqual({ affected_rows: 1 });
  expect(minimal.headers.get("preference-applied")).toBe("return=minimal");
});

test("return=representation answers inserted, updated and deleted rows as a list shows them", async () => {
  const table = await makeTable(server, {
    a: "text",
    big: "bigint",
    exact: "numeric",
    at: "timestamp",
    doc: "jsonb",
  });
  const api = await server.tables();
  const values = {
    a: "x",
    big: "9007199254740993",
    exact: "1.10",
    at: "2026-09-04T08:15:30.1+07:00",
    doc: { b: [1, null] },
  };
  const rows = [values, { ...values, a: null, doc: null }, { ...values, a: "z" }];
  const prefer = "return=representation";
  const inserted = await api.insertRows({ ...target(table), newRows: { rows }, prefer });
  expect(inserted.data.rows).toEqual(await table.rows());
  expect(inserted.data.ids).toEqual(inserted.data.rows?.map(({ id }) => id) ?? []);
  const change = { where: { big: "9007199254740993" }, set: { a: "y", doc: { c: 1.5 }, exact: null } };
  const updated = await api.updateRows({ ...target(table), rowUpdate: change, prefer });
  expect(updated.data.rows).toEqual(await table.rows());
  expect(updated.data.rows).toMatchObject([{ a: "y", exact: null }, { a: "y" }, { a: "y", doc: { c: 1.5 } }]);
  const deleted = await api.deleteRows({ ...target(table), rowDeletion: { where: { a: "y" } }, prefer });
  expect(deleted.data.rows).toEqual(updated.data.rows as Row[]);
  expect(await table.rows()).toEqual([]);
});

test("a representation of no rows is an empty list", async () => {
  const table = await makeTable(server, { a: "text" });
  const body = { where: { a: "nobody" } };
  const answer = await send(server, `DELETE ${table.path}`, { body, headers: wholly });
  expect(answer.body).toMatchObject({
    message: "0 rows were deleted.",
    data: { affected_rows: 0, rows: [] },
  });
  expect(answer.headers.get("preference-applied")).toBe("return=representation");
});

test("columns may be called as parts of the statement are", async () => {
  const names = ["json", "rows", "bytes", "fits", "t", "r", "o", "changed", "ordered", "ids", "affected"];
  const table = await makeTable(server, Object.fromEntries(names.map((name) => [name, "text" as const])));
  const row = Object.fromEntries(names.map((name) => [name, `${name}!`]));
  const answer = await send(server, `POST ${table.path}`, { body: { rows: [row] }, headers: wholly });
  expect(answer.body.data.rows).toMatchObject([row]);
  const set = { json: "1", t: "2", o: "3" };
  const change = { where: { r: "r!" }, set };
  const updated = await send(server, `PATCH ${table.path}`, { body: change, headers: wholly });
  expect(updated.body.data.rows).toMatchObject([{ ...row, ...set }]);
});

test("rows that are too large for an answer are left out, and the change is made", async () => {
  const table = await makeTable(server, { n: "integer", a: "text" });
  await table.insert(...Array.from({ length: 40 }, (_, n) => ({ n, a: "" })));
  const change = { where: { a: "" }, set: { a: "x".repeat(500_000) } };
  const answer = await send(server, `PATCH ${table.path}`, { body: change, headers: wholly });
  expect(answer.body).toMatchObject({ message: "40 rows were updated.", data: { affected_rows: 40 } });
  expect(answer.body.data.rows).toBeUndefined();
  expect(answer.headers.get("preference-applied")).toBeNull();
  const some = await send(server, `PATCH ${table.path}`, {
    body: { where: { n: 3 }, set: { n: 4 } },
    headers: wholly,
  });
  expect(some.body.data.rows).toMatchObject([{ n: 4, a: change.set.a }]);
});

test("a preference that is not known changes nothing", async () => {
  const table = await makeTable(server, { a: "text" });
  const headers = { Prefer: "respond-async, wait=10, return=everything" };
  const answer = await send(server, `POST ${table.path}`, { body: { rows: [{ a: "x" }] }, headers });
  expect(answer.body.data).toEqual({ affected_rows: 1, ids: ["1"] });
  expect(answer.headers.get("preference-applied")).toBeNull();
});
