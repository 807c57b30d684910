import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, refusal, rowsPath, send, type TestTable, withoutBuiltIn } from "../../support/tables.ts";

let server: TestServer;
let numbers: TestTable;
beforeAll(async () => {
  server = await startServer();
  numbers = await makeTable(server, { n: "integer", parity: "text", r: "jsonb" });
  const rows = Array.from({ length: 1_203 }, (_, n) => ({ n, parity: n % 2 ? "odd" : "even", r: [n] }));
  await numbers.insert(...rows);
});
afterAll(() => server.stop());

const list = (query = "", table = numbers) => send(server, `GET ${table.path}${query}`);
// biome-ignore lint/suspicious/noExplicitAny: an answer's body.
const ns = ({ body }: { body: any }): number[] => body.data.rows.map(({ n }: { n: number }) => n);
const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);

test("by default it answers the first 50 rows in the envelope, with page, limit and total", async () => {
  const answer = await list();
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  expect(Object.keys(answer.body)).toEqual(["success", "message", "data"]);
  expect(answer.body.data).toMatchObject({ page: 0, limit: 50, total: 1_203 });
  expect(ns(answer)).toEqual(from(0, 50));
});

test("a row has the built-in columns, then its own in their order", async () => {
  const [row] = (await list("?limit=1")).body.data.rows;
  expect(Object.keys(row)).toEqual(["id", "created_at", "updated_at", "n", "parity", "r"]);
  expect(withoutBuiltIn(row)).toEqual({ n: 0, parity: "even", r: [0] });
});

test("pages have no gaps or repeats, and a page beyond the end is empty", async () => {
  const seen: number[] = [];
  for (const page of [0, 1, 2]) seen.push(...ns(await list(`?limit=500&page=${page}`)));
  expect(seen).toEqual(from(0, 1_203));
  const beyond = await list("?limit=500&page=3");
  expect(beyond.body.data).toEqual({ rows: [], page: 3, limit: 500, total: 1_203 });
  expect(ns(await list("?page=2147483647&limit=500"))).toEqual([]);
});

test("updates do not change the order", async () => {
  const table = await makeTable(server, { n: "integer" });
  await table.insert({ n: 1 }, { n: 2 }, { n: 3 });
  await table.update({ n: 1 }, { n: 10 });
  expect(await table.values()).toEqual([{ n: 10 }, { n: 2 }, { n: 3 }]);
});

test("a limit outside of 1 to 500 answers 400", async () => {
  expect(ns(await list("?limit=1"))).toEqual([0]);
  expect(ns(await list("?limit=500"))).toHaveLength(500);
  for (const limit of ["0", "501", "-1", "x", "", "1.0", "1e2", "0x10", "%205", "99999999999999999999", "05"])
    expect(await list(`?limit=${limit}`)).toMatchObject({ status: 400, pointers: ["/query/limit"] });
});

test("an invalid page answers 400", async () => {
  for (const page of ["-1", "x", "", "1.5", "2147483648", "null", "%00", "99999999999999999999"])
    expect(await list(`?page=${page}`)).toMatchObject({ status: 400, pointers: ["/query/page"] });
});

test("$total=false leaves the total out", async () => {
  expect(Object.keys((await list("?$total=false")).body.data)).toEqual(["rows", "page", "limit", "next"]);
  expect((await list("?$total=true&limit=1")).body.data.total).toBe(1_203);
  const api = await server.tables();
  const { data } = await api.listRows({ tenantId: 1, table: numbers.name, $total: false, limit: 2, page: 1 });
  expect(data).toMatchObject({ page: 1, limit: 2, rows: [{ n: 2 }, { n: 3 }] });
  expect(data.total).toBeUndefined();
  for (const value of ["", "no", "0", "FALSE"])
    expect(await list(`?$total=${value}`)).toMatchObject({ status: 400, pointers: ["/query/$total"] });
});

test("unknown parameters that begin with $ answer 400", async () => {
  const answer = await list("?$order=n&$skip=1&n=1");
  expect(answer).toMatchObject({ status: 400, code: "invalid_parameter" });
  expect(answer.pointers).toEqual(["/query/$order", "/query/$skip"]);
});

test("filters are combined with AND, and the total counts their rows", async () => {
  const answer = await list("?parity=odd&limit=2&page=1");
  expect(ns(answer)).toEqual([5, 7]);
  expect(answer.body.data.total).toBe(601);
  expect(ns(await list("?parity=odd&n=7"))).toEqual([7]);
  expect((await list("?parity=even&n=7")).body.data).toMatchObject({ rows: [], total: 0 });
  expect(ns(await list("?id=8"))).toEqual([7]);
});

test("built-in columns can be filters", async () => {
  const [first] = (await list("?limit=1")).body.data.rows;
  const at = encodeURIComponent(first.created_at);
  expect((await list(`?created_at=${at}&updated_at=${at}`)).body.data.total).toBe(1_203);
  expect((await list("?created_at=2001-01-01T00:00:00Z")).body.data.total).toBe(0);
  expect(await list("?id=x")).toMatchObject({ status: 400, pointers: ["/query/id"] });
});

test("a filter on an unknown column answers 400, whatever its name is", async () => {
  const names = ["colour", "Parity", "parity%20", "%22parity%22", "__proto__", "constructor", "ctid", "t.n"];
  for (const name of [...names, "filters", "offset", "n%00", "n%5B%5D", "", "tableoid", "xmin"]) {
    const answer = await list(`?${name}=1`);
    expect(answer).toMatchObject({ status: 400, code: "unknown_column" });
    expect(answer.pointers).toEqual([`/query/${decodeURIComponent(name)}`]);
  }
});

test("one answer has all faults of the filters", async () => {
  const answer = await list("?n=x&colour=1&parity=odd&r=%7B&id=1.5");
  expect(answer).toMatchObject({
    status: 400,
    pointers: ["/query/n", "/query/colour", "/query/r", "/query/id"],
  });
});

test("a repeated or badly encoded parameter answers 400", async () => {
  expect(await list("?n=1&n=1")).toMatchObject({ status: 400, pointers: ["/query/n"] });
  expect(await list("?n=1&%6E=2")).toMatchObject({ status: 400, pointers: ["/query/n"] });
  expect(await list("?limit=1&limit=2")).toMatchObject({ status: 400, pointers: ["/query/limit"] });
  for (const query of ["?n=%", "?n=%zz", "?n=%ff", "?%ff=1"])
    expect(await list(query)).toMatchObject({ status: 400 });
});

test("columns may have the names that the statement uses", async () => {
  const names = ["r", "t", "rows", "total", "current", "changed", "audited", "json_agg", "registered"];
  const columns = Object.fromEntries(names.map((name) => [name, "text" as const]));
  const table = await makeTable(server, columns);
  const row = Object.fromEntries(names.map((name) => [name, `its ${name}`]));
  await table.insert(row, row);
  expect(await table.update(row, { r: "other" })).toBe(2);
  expect(await table.values({ r: "other", t: "its t" })).toEqual([
    { ...row, r: "other" },
    { ...row, r: "other" },
  ]);
  expect(await table.remove({ changed: "its changed" })).toBe(2);
});

test("a column called page or limit is listed, but in the query the name means the parameter", async () => {
  const table = await makeTable(server, { page: "integer", limit: "integer" });
  await table.insert({ page: 7, limit: 8 });
  const answer = await list("?page=0&limit=10", table);
  expect(answer.body.data.rows.map(withoutBuiltIn)).toEqual([{ page: 7, limit: 8 }]);
});

test("a column called page or limit can be filtered by $filter", async () => {
  const table = await makeTable(server, { page: "integer", limit: "integer" });
  await table.insert({ page: 7, limit: 8 }, { page: 8, limit: 7 });
  const answer = await list("?page=0&limit=10&$filter=page+eq+7+and+limit+gt+7", table);
  expect(answer.body.data.rows.map(withoutBuiltIn)).toEqual([{ page: 7, limit: 8 }]);
});

test("$select answers the columns in its order, and the id always", async () => {
  const { rows } = (await list("?$select=parity,n&limit=2")).body.data;
  expect(rows.map(Object.entries)).toEqual([
    [
      ["id", "1"],
      ["parity", "even"],
      ["n", 0],
    ],
    [
      ["id", "2"],
      ["parity", "odd"],
      ["n", 1],
    ],
  ]);
  expect(Object.keys((await list("?$select=n,created_at,id&limit=1")).body.data.rows[0])).toEqual([
    "n",
    "created_at",
    "id",
  ]);
  for (const [text, at] of [
    ["", 1],
    ["n,", 3],
    ["n,n", 3],
    ["n parity", 3],
    ["colour", 1],
    ["n,*", 3],
    ["xmin", 1],
  ] as const) {
    const answer = await list(`?$select=${encodeURIComponent(text)}`);
    expect(answer).toMatchObject({ status: 400, pointers: ["/query/$select"] });
    expect(answer.body.errors[0].detail).toStartWith(`At character ${at}: `);
  }
});

test("$orderby that is not an order answers 400 with the place", async () => {
  const nine = ["id", "created_at", "updated_at", "n", "parity"].join();
  expect(await list(`?$orderby=${nine}`)).toMatchObject({ status: 200 });
  for (const [text, at, detail] of [
    ["", 1, "expected a column"],
    ["n up", 3, 'expected "asc", "desc", "," or the end'],
    ["n desc,", 8, "expected a column"],
    ["n,parity,n desc", 10, 'column "n" is there twice'],
    ["n,r", 3, '"r" is jsonb'],
    ["n,colour", 3, 'no column "colour"'],
    ["n;drop", 2, "found"],
    ["ctid", 1, 'no column "ctid"'],
  ] as const) {
    const answer = await list(`?$orderby=${encodeURIComponent(text)}`);
    expect(answer).toMatchObject({ status: 400, pointers: ["/query/$orderby"] });
    expect(answer.body.errors[0].detail).toStartWith(`At character ${at}: `);
    expect(answer.body.errors[0].detail).toContain(detail);
  }
});

test("files have the columns of $select in the order of $orderby, and no pages", async () => {
  const file = (query: string, accept = "text/csv") =>
    send(server, `GET ${numbers.path}?${query}`, { headers: { accept } }).catch((error) => error);
  const path = `${numbers.path}?$select=parity,n&$orderby=parity+desc,n+desc&$filter=n+lt+3`;
  const csv = await server.request(path, { headers: { accept: "text/csv" } });
  expect(await csv.text()).toBe("id,parity,n\r\n2,odd,1\r\n3,even,2\r\n1,even,0\r\n");
  const lines = await server.request(path, { headers: { accept: "application/x-ndjson" } });
  expect((await lines.text()).split("\n")[0]).toBe('{"id":"2","parity":"odd","n":1}');
  for (const name of ["$after", "$apply"])
    expect(await file(`${name}=x`)).toMatchObject({ status: 400, pointers: [`/query/${name}`] });
});

test("data.next lists the following rows through the SDK, until there are none", async () => {
  const api = await server.tables();
  const target = { tenantId: 1, table: numbers.name, limit: 500, $orderby: "parity desc,n desc" };
  const seen: number[] = [];
  let $after: string | undefined;
  do {
    const { data } = await api.listRows({ ...target, ...($after ? { $after } : {}) });
    seen.push(...data.rows.map(({ n }) => n));
    expect(data.total).toBe($after ? undefined : 1_203);
    $after = data.next;
  } while ($after);
  const odd = from(0, 1_203)
    .filter((n) => n % 2)
    .reverse();
  const even = from(0, 1_203)
    .filter((n) => n % 2 === 0)
    .reverse();
  expect(seen).toEqual([...odd, ...even]);
  expect((await list("?limit=500&page=2")).body.data.next).toBeUndefined();
});

test("$after and page together, or an unknown cursor, answer 400", async () => {
  const { next } = (await list("?limit=2&$orderby=n")).body.data;
  const refused = (query: string) => list(`?limit=2&$after=${next}&${query}`);
  expect(await refused("$orderby=n&page=1")).toMatchObject({ status: 400, pointers: ["/query/page"] });
  expect((await refused("$orderby=n&$total=true&$select=n")).body.data.total).toBe(1_203);
  for (const [query, detail] of [
    ["$orderby=n+desc", "$orderby=n asc"],
    ["", "$orderby=n asc"],
    ["$orderby=n&$filter=n+gt+5", "other filters"],
    ["$orderby=n&parity=odd", "other filters"],
  ] as const) {
    const answer = await refused(query);
    expect(answer).toMatchObject({ status: 400, pointers: ["/query/$after"] });
    expect(answer.body.errors[0].detail).toContain(detail);
  }
  const other = await makeTable(server, { n: "integer", parity: "text" });
  const elsewhere = await list(`?limit=2&$after=${next}&$orderby=n`, other);
  expect(elsewhere.body.errors[0].detail).toContain("another table");
});

test("a table that never existed answers 404", async () => {
  const api = await server.tables();
  const answer = await refusal(api.listRows({ tenantId: 1, table: "nowhere" }));
  expect(answer).toMatchObject({ status: 404, code: "table_not_found" });
  expect(await send(server, `GET ${rowsPath("nowhere")}?colour=1`)).toMatchObject({ status: 404 });
});

test("rows that are too large together are refused, and answered one by one", async () => {
  const table = await makeTable(server, { body: "text" });
  const row = { body: "x".repeat(9 * 1024 ** 2) };
  for (const inserted of [row, row]) await table.insert(inserted);
  expect(await list("?limit=2", table)).toMatchObject({ status: 400, body: { code: "answer_too_large" } });
  expect(await list("?limit=1&page=1", table)).toMatchObject({ status: 200 });
});

test("the limit counts the bytes of the answer, not those of the storage or the request", async () => {
  const columns = { a: "numeric", b: "numeric", c: "numeric", d: "numeric" } as const;
  const grown = await makeTable(server, columns);
  const row = { a: "1e131000", b: "1e131000", c: "-1e131000", d: "1e-16383" };
  await grown.insert(...Array.from({ length: 500 }, () => row));
  expect(await list("?limit=500", grown)).toMatchObject({ status: 400, body: { code: "answer_too_large" } });
  expect((await list("?limit=30", grown)).body.data.rows[29].c).toBe(`-1${"0".repeat(131_000)}`);

  const packed = await makeTable(server, { value: "jsonb" });
  for (let n = 0; n < 3; n++) await packed.insert({ value: "x".repeat(7 * 1024 ** 2) });
  expect(await list("", packed)).toMatchObject({ status: 400, body: { code: "answer_too_large" } });
  expect((await list("?limit=2", packed)).body.data.rows).toHaveLength(2);

  const escaped = await makeTable(server, { body: "text" });
  for (let n = 0; n < 2; n++) await escaped.insert({ body: "\u0001".repeat(2 * 1024 ** 2) });
  expect(await list("", escaped)).toMatchObject({ status: 400, body: { code: "answer_too_large" } });
  expect((await list("?limit=1", escaped)).body.data.rows[0].body).toBe("\u0001".repeat(2 * 1024 ** 2));
});

test("a row that one request can write can always be read", async () => {
  const table = await makeTable(server, { value: "jsonb", n: "numeric" });
  // Nearly as many values, and nearly as many bytes, as a body may have.
  const items = 3_900_000;
  const body = `{"rows":[{"value":[${"1234567,".repeat(items)}1e131071],"n":"1e131000"}]}`;
  expect(await send(server, `POST ${table.path}`, { body })).toMatchObject({ status: 201 });
  const answer = await server.request(table.path, {});
  expect(answer.status).toBe(200);
  expect((await answer.text()).length).toBeGreaterThan(9 * items);
});

test("a row that updates made too large is refused even alone, and can be updated", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const table = await makeTable(server, Object.fromEntries(names.map((name) => [name, "text" as const])));
  await table.insert({ a: "first" });
  for (const name of names) await table.update({ id: 1 }, { [name]: "x".repeat(12 * 1024 ** 2) });
  expect(await list("", table)).toMatchObject({ status: 400, body: { code: "answer_too_large" } });
  expect(await table.update({ id: 1 }, { f: "short" })).toBe(1);
  expect((await list("", table)).body.data.rows[0].f).toBe("short");
});
