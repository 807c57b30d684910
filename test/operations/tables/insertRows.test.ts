import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { auditOf, makeTable, refusal, rowsPath, send, type TestTable } from "../../support/tables.ts";

setDefaultTimeout(30_000);

let server: TestServer;
let people: TestTable;
beforeAll(async () => {
  server = await startServer();
  people = await makeTable(server, { name: "text not null", age: "integer", note: "text" });
});
afterAll(() => server.stop());

const post = (body: unknown, table = people) => send(server, `POST ${table.path}`, { body });

test("inserted rows answer 201 with their number", async () => {
  const table = await makeTable(server, { a: "text", b: "integer" });
  const answer = await post(
    {
      rows: [
        { a: "x", b: 1 },
        { b: 2, a: "y" },
      ],
    },
    table,
  );
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    success: true,
    message: "2 rows were inserted.",
    data: { affected_rows: 2, ids: ["1", "2"] },
  });
  const rows = await table.rows();
  expect(rows).toMatchObject([
    { id: "1", a: "x", b: 1 },
    { id: "2", a: "y", b: 2 },
  ]);
  expect(rows[0]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});

test("a nullable column that is left out is null", async () => {
  const table = await makeTable(server, { a: "text", b: "integer" });
  await table.insert({ b: 1 });
  await table.insert({}, {});
  const empty = { a: null, b: null };
  expect(await table.values()).toEqual([{ a: null, b: 1 }, empty, empty]);
});

test("a column that does not allow null is required", async () => {
  for (const rows of [[{ age: 1 }], [{}], [{ age: 1 }, { age: 2 }]])
    expect(await post({ rows })).toMatchObject({ status: 400, pointers: ["/rows/0/name"] });
});

test("rows with unequal columns are refused, each with its pointer", async () => {
  const rows = [{ name: "a", age: 1 }, { name: "b" }, { name: "c", age: 1 }, { name: "d", note: "x" }];
  const answer = await post({ rows });
  expect(answer).toMatchObject({ status: 400, code: "unequal_columns", pointers: ["/rows/1", "/rows/3"] });
  const more = await post({ rows: [{ name: "a" }, { name: "b", age: 2 }] });
  expect(more).toMatchObject({ status: 400, code: "unequal_columns", pointers: ["/rows/1"] });
});

test("unknown and built-in columns are refused", async () => {
  const answer = await post({ rows: [{ name: "a", id: 1, colour: "red", "a~b/c": 1, "": 0 }] });
  expect(answer).toMatchObject({ status: 400, code: "built_in_column" });
  expect(answer.pointers).toEqual(["/rows/0/id", "/rows/0/colour", "/rows/0/a~0b~1c", "/rows/0/"]);
  const tricks = ["__proto__", "constructor", "toString", "Name", '"name"', "name ", "p.name", "ctid"];
  for (const name of tricks) {
    const rows = `{"rows":[{"name":"a",${JSON.stringify(name)}:{"x":1}}]}`;
    expect(await post(rows)).toMatchObject({ status: 400, pointers: [`/rows/0/${name}`] });
  }
});

test("one answer has the faults of the schema and of the columns", async () => {
  const rows = [{ name: 1, age: "x" }, 7, { name: "b", age: 2.5 }, null, [1], "x", 1];
  const answer = await post({ rows, extra: true });
  expect(answer.status).toBe(400);
  expect(new Set(answer.pointers)).toEqual(
    new Set([
      ...["/extra", "/rows/1", "/rows/3", "/rows/4", "/rows/5", "/rows/6"],
      ...["/rows/0/name", "/rows/0/age", "/rows/2/age"],
    ]),
  );
});

test("of a thousand faults the answer has a hundred", async () => {
  const answer = await post({ rows: Array.from({ length: 1000 }, () => ({ name: 1 })) });
  expect(answer.pointers).toHaveLength(100);
  expect(answer.pointers[99]).toBe("/rows/99/name");
});

test("rows that are not objects are refused, however a number is written", async () => {
  for (const row of ["1", "1.0", "12345678901234567890", "null", '"x"', "[]", "true"])
    expect(await post(`{"rows":[${row}]}`)).toMatchObject({ status: 400, pointers: ["/rows/0"] });
  for (const rows of ["{}", "[]", "null", "1.0", '"x"'])
    expect(await post(`{"rows":${rows}}`)).toMatchObject({ status: 400, pointers: ["/rows"] });
  expect(await post("{}")).toMatchObject({ status: 400, pointers: ["/rows"] });
});

test("malformed JSON, repeated keys, bad UTF-8 and other content types are refused", async () => {
  for (const body of ["", '{"rows":[', '{"rows":[{"name":"a","name":"a"}]}', "{rows:[]}", "NaN"])
    expect(await post(body)).toMatchObject({ status: 400, code: "invalid_json" });
  const bytes = new Uint8Array([...Buffer.from('{"rows":[{"name":"'), 0xff, ...Buffer.from('"}]}')]);
  const headers = { "content-type": "application/json" };
  const response = await server.request(people.path, { method: "POST", body: bytes, headers });
  expect(response.status).toBe(400);
  for (const type of ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded", ""]) {
    const headers = { "content-type": type };
    const answer = await send(server, `POST ${people.path}`, { body: '{"rows":[{"name":"a"}]}', headers });
    expect(answer).toMatchObject({ status: 415, code: "unsupported_media_type" });
  }
  expect(await people.rows()).toEqual([]);
});

test("one invalid row of 10,000 means that no row is inserted", async () => {
  const table = await makeTable(server, { n: "integer not null" });
  const rows: { n: number | null }[] = Array.from({ length: 10_000 }, (_, n) => ({ n }));
  rows[9_998] = { n: null };
  expect(await post({ rows }, table)).toMatchObject({ status: 400, pointers: ["/rows/9998/n"] });
  expect(await table.rows()).toEqual([]);
});

test("10,000 rows are one statement with one audit record; 10,001 are refused", async () => {
  const table = await makeTable(server, { n: "integer", label: "text" });
  const rows = Array.from({ length: 10_000 }, (_, n) => ({ n, label: `row ${n}` }));
  expect(await table.insert(...rows)).toBe(10_000);
  const [seen] = await server.sql.unsafe(
    `select count(*)::int as rows, count(distinct (xmin::text, cmin::text, created_at))::int as statements,
       bool_and(id = n + 1) as in_order from tenant_1.${table.name}`,
  );
  expect<unknown>(seen).toEqual({ rows: 10_000, statements: 1, in_order: true });
  const inserts = (await auditOf(server, table.name)).filter(({ action }) => action === "insert");
  expect(inserts).toMatchObject([{ outcome: "success", affected_rows: 10_000 }]);
  const refused = await refusal(table.insert(...rows, { n: 1, label: "one more" }));
  expect(refused).toMatchObject({ status: 400, pointers: ["/rows"] });
});

test("a body of nearly 32 MiB works, a larger one is refused", async () => {
  const table = await makeTable(server, { doc: "jsonb", label: "text" });
  const half = "x".repeat(16 * 1024 ** 2 - 100);
  expect(await table.insert({ doc: [half], label: half })).toBe(1);
  const [row] = await server.sql.unsafe(
    `select length(label) as label, length(doc->>0) as doc from tenant_1.${table.name}`,
  );
  expect<unknown>(row).toEqual({ label: half.length, doc: half.length });
  const refused = await refusal(table.insert({ doc: [half, half], label: half }));
  expect(refused).toMatchObject({ status: 413, code: "payload_too_large" });
});

test("a body without a length is refused when it becomes too large", async () => {
  const chunk = new Uint8Array(4 * 1024 ** 2).fill(0x20);
  let sent = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      if (++sent > 40) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const headers = { "content-type": "application/json" };
  const answered = server.request(people.path, { method: "POST", body, headers });
  const status = await answered.then(
    (response) => response.status,
    () => "closed",
  );
  expect([413, "closed"]).toContain(status);
});

test("a row that does not fit into a page of PostgreSQL is refused", async () => {
  const names = Array.from({ length: 1_500 }, (_, n) => `c${n}`);
  const table = await makeTable(server, Object.fromEntries(names.map((name) => [name, "text" as const])));
  const row = Object.fromEntries(names.map((name) => [name, "ten bytes!"]));
  expect(await refusal(table.insert(row))).toMatchObject({ status: 400, code: "row_too_large" });
});

test("a row whose numbers grow by more than 2 MiB is refused", async () => {
  const table = await makeTable(server, { id_card: "text", numbers: "jsonb", n: "numeric" });
  const grown = (count: number) =>
    `{"id_card":"1","numbers":{"a":[${"1e131071,".repeat(count)}0]},"n":1e131071}`;
  const insert = (...rows: string[]) =>
    send(server, `POST ${table.path}`, { body: `{"rows":[${rows.join(",")}]}` });
  expect(await insert(grown(14), grown(14))).toMatchObject({ status: 201 });
  const refused = { status: 400, code: "row_too_large" };
  expect(await insert(grown(1), grown(16), grown(15))).toMatchObject({ ...refused, pointers: ["/rows/1"] });
  const small = `{"id_card":"1","numbers":[${"1e+300,".repeat(8_000)}5e-324],"n":1}`;
  expect(await insert(small)).toMatchObject({ ...refused, pointers: ["/rows/0"] });
  const body = `{"where":{"id_card":"1"},"set":{"numbers":[${"-1e-16383,".repeat(130)}1]}}`;
  expect(await send(server, `PATCH ${table.path}`, { body })).toMatchObject({
    ...refused,
    pointers: ["/set"],
  });
  const digits = `9${"0".repeat(131_071)}`;
  const long = `{"id_card":"2","numbers":[${`${digits},`.repeat(20)}1],"n":${digits}}`;
  expect(await insert(long)).toMatchObject({ status: 201 });
});

test("a violated constraint of the platform answers 400 without any SQL", async () => {
  const table = await makeTable(server, { n: "integer" });
  await server.sql.unsafe(`alter table tenant_1.${table.name} add constraint secret_rule check (n > 0)`);
  const answer = await refusal(table.insert({ n: 1 }, { n: -1 }));
  expect(answer).toMatchObject({ status: 400, code: "invalid_value" });
  expect(answer.text).not.toMatch(/secret_rule|constraint|tenant_1/);
  expect(await table.rows()).toEqual([]);
});

test("a table that never existed answers 404, also for an invalid body", async () => {
  for (const body of [{ rows: [{ a: 1 }] }, { rows: 1 }, { rows: [{ "": 1 }] }])
    expect(await send(server, `POST ${rowsPath("nowhere")}`, { body })).toMatchObject({ status: 404 });
});
