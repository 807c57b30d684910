import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { auditOf, makeTable, send, type TestTable } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { IMPORT_MAX_SIZE: "3MB" }, bodyStallMs: 1_500 });
});
afterAll(() => server.stop());

const load = (table: TestTable, body: string, query = "", type = "text/csv") =>
  send(server, `POST ${table.path}${query}`, { body, headers: { "Content-Type": type } });

test("a CSV file is imported as it is written", async () => {
  const table = await makeTable(server, {
    label: "text",
    quantity: "integer",
    price: "numeric",
    details: "jsonb",
  });
  const file =
    '\ufefflabel,price,details,quantity\r\n"a ""b"", c\r\nd\te\\f",1.10,"{""a"": [1, ""x\\n""]}",1\r\n"",,,-0\r\n,1e3,"2",1000';
  const answer = await load(table, file);
  expect(answer).toMatchObject({ status: 201, body: { success: true, message: "3 rows were imported." } });
  expect(answer.body.data).toEqual({ affected_rows: 3 });
  expect(await table.values()).toEqual([
    { label: 'a "b", c\r\nd\te\\f', quantity: 1, price: "1.10", details: { a: [1, "x\n"] } },
    { label: "", quantity: 0, price: null, details: null },
    { label: null, quantity: 1000, price: "1000", details: 2 },
  ]);
});

test("every type takes what answers have, and TRUE and FALSE", async () => {
  const table = await makeTable(server, { n: "bigint", b: "boolean", d: "date", t: "timestamp" });
  const lines = [
    "n,b,d,t",
    "9223372036854775807,true,2024-02-29,2026-09-04T08:15:30.123456Z",
    "-1,FALSE,0001-01-01,2026-09-04 10:15:30+02:00",
    '"","","",""',
  ];
  expect((await load(table, lines.join("\n"))).status).toBe(201);
  expect(await table.values()).toEqual([
    { n: "9223372036854775807", b: true, d: "2024-02-29", t: "2026-09-04T08:15:30.123456Z" },
    { n: "-1", b: false, d: "0001-01-01", t: "2026-09-04T08:15:30.000000Z" },
    { n: null, b: null, d: null, t: null },
  ]);
});

test("semicolons and decimal commas are understood, the latter on request", async () => {
  const table = await makeTable(server, { a: "text", p: "numeric" });
  expect((await load(table, "a;p\nx,y;1234,50\nz;-7", "?$decimal=comma")).status).toBe(201);
  expect(await table.values()).toEqual([
    { a: "x,y", p: "1234.50" },
    { a: "z", p: "-7" },
  ]);
  expect(await load(table, "a;p\nx;1.5", "?$decimal=comma")).toMatchObject({
    status: 400,
    pointers: ["/rows/0/p"],
  });
  expect(await load(table, "a;p\nx;1,5")).toMatchObject({ status: 400, pointers: ["/rows/0/p"] });
});

test("application/x-ndjson takes the same values as an insert", async () => {
  const table = await makeTable(server, { s: "text", n: "numeric", j: "jsonb", b: "boolean" });
  const text =
    '{"s":"a\\\\\\n\\t\\u00e4","n":1.10,"j":{"x":[1.50,"\\\\"]},"b":true}\r\n\n{"b":null,"j":null,"n":"7","s":""}\n';
  expect((await load(table, text, "", "application/x-ndjson")).body.data).toEqual({ affected_rows: 2 });
  const raw = await send(server, `GET ${table.path}`);
  expect(raw.text).toContain('"s":"a\\\\\\n\\tä","n":"1.10","j":{"x": [1.50, "\\\\"]},"b":true');
  expect((await table.values())[1]).toEqual({ s: "", n: "7", j: null, b: null });
});

test("faults name line, column, value and reason, and nothing is written", async () => {
  const table = await makeTable(server, { s: "text not null", n: "integer" });
  const file = 's,n\n"two\nlines",1\nx,1.5\n,2\ny,2147483648,z\nw,3\n';
  const { status, code, body } = await load(table, file);
  expect([status, code]).toEqual([400, "invalid_value"]);
  expect(body.errors).toEqual([
    {
      pointer: "/rows/1/n",
      line: 4,
      column: "n",
      value: "1.5",
      detail: 'Column "n" takes a whole number from -2147483648 to 2147483647.',
    },
    { pointer: "/rows/2/s", line: 5, column: "s", value: "", detail: 'Column "s" does not allow null.' },
    { pointer: "/rows/3", line: 6, detail: "This row has 3 cells, and the first line has 2." },
  ]);
  expect(await table.values()).toEqual([]);
  const [, record] = await auditOf(server, table.name);
  expect(record).toMatchObject({ action: "import", outcome: "failure", table_name: table.name });
});

test("at most a hundred faults come back, and each value is cut", async () => {
  const table = await makeTable(server, { n: "integer" });
  const { body } = await load(table, `n\n${`${"x".repeat(500)}\n`.repeat(3_000)}`);
  expect(body.errors).toHaveLength(100);
  expect(body.errors[99]).toMatchObject({ line: 101, value: `${"x".repeat(100)}…` });
});

test("faults of the columns give advice", async () => {
  const table = await makeTable(server, { full_name: "text", income: "numeric", must: "text not null" });
  const { body } = await load(table, "Full Name,incme,id,zzz,income,income\n");
  expect(
    body.errors.map(({ column, detail }: { column: string; detail: string }) => [column, detail]),
  ).toEqual([
    ["Full Name", 'Column "Full Name" does not exist in this table. Perhaps it is "full_name".'],
    ["incme", 'Column "incme" does not exist in this table. Perhaps it is "income".'],
    ["id", 'Column "id" is built in and cannot be set. Leave it out with $skip=id.'],
    ["zzz", 'Column "zzz" does not exist in this table. Leave it out with $skip.'],
    ["income", 'Column "income" appears twice.'],
    ["must", 'Column "must" does not allow null, and the file does not have it.'],
  ]);
});

test("columns that the file does not have get their defaults", async () => {
  const table = await makeTable(server, { a: "integer" });
  const api = await server.tables();
  const add = [
    { name: "n", type: "integer" as const, nullable: false, default: 7 },
    { name: "s", type: "text" as const },
  ];
  await api.alterTable({ tenantId: 1, table: table.name, tableAlteration: { add_columns: add } });
  expect((await load(table, "a\n1\n")).status).toBe(201);
  expect((await load(table, "a,n\n2,\n")).body.errors).toMatchObject([{ line: 2, column: "n", value: "" }]);
  expect(await table.values()).toEqual([{ a: 1, n: 7, s: null }]);
});

test("an exported file is imported into another table with $skip", async () => {
  const columns = { s: "text", n: "numeric", t: "timestamp", j: "jsonb", b: "boolean" } as const;
  const [from, to] = [await makeTable(server, columns), await makeTable(server, columns)];
  await from.insert(
    { s: '",\r\n;=1\\.\\N', n: "1.10", t: "2026-09-04T08:15:30Z", j: { a: '"' }, b: true },
    { s: "", n: null, t: null, j: null, b: null },
  );
  for (const accept of ["text/csv", "application/x-ndjson"]) {
    const file = await (await server.request(from.path, { headers: { Accept: accept } })).text();
    expect((await load(to, file, "?$skip=id,created_at,updated_at", accept)).status).toBe(201);
  }
  expect(await to.values()).toEqual([...(await from.values()), ...(await from.values())]);
});

test("a dry run checks everything, also by the database, and writes nothing", async () => {
  const table = await makeTable(server, { code: "text" });
  await server.sql.unsafe(`create unique index on tenant_1.${table.name} (code)`);
  const answer = await load(table, "code\na\nb\n", "?$dry_run=true");
  expect(answer).toMatchObject({ status: 200, body: { data: { affected_rows: 2 } } });
  expect(answer.body.message).toBe("2 rows would be imported. Nothing was written.");
  expect(await table.values()).toEqual([]);
  const { body } = await load(table, 'code\na\n"b\nc"\n"b\nc"\na\n', "?$dry_run=true");
  expect(body.errors).toEqual([
    {
      pointer: "/rows/2/code",
      line: 5,
      column: "code",
      value: "b\nc",
      detail: "Another row has this value, and the column allows each value once.",
    },
  ]);
  expect((await auditOf(server, table.name)).map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
    "create_table success",
    "import failure",
  ]);
});

test("a row that the database refuses after the last byte has its line, too", async () => {
  const table = await makeTable(server, { code: "text" });
  await server.sql.unsafe(`create unique index on tenant_1.${table.name} (code)`);
  await table.insert({ code: "b" });
  const { status, body } = await load(table, "code\na\nb");
  expect([status, body.errors[0].line, body.errors[0].value]).toEqual([400, 3, "b"]);
  expect(await table.values()).toEqual([{ code: "b" }]);
});

test("the audit record of an import commits with it and names the file", async () => {
  const table = await makeTable(server, { a: "integer" });
  await load(table, "a\n1\n2\n");
  const [, record] = await auditOf(server, table.name);
  expect(record).toMatchObject({ action: "import", outcome: "success", affected_rows: 2, actor: "alice" });
  expect(record?.statement).toStartWith(
    `copy "tenant_1"."${table.name}" ("a") from stdin -- text/csv, 6 bytes, sha-256 `,
  );
});

test.each([
  ['a,b\n1,"x', "A cell begins with a quote and never ends. Its closing quote is missing.", 2],
  [
    'a,b\n1,x"y"\n',
    'There is a quote inside of a cell. Put the cell in quotes, and write each quote in it as "".',
    2,
  ],
  [
    'a,b\n1,"x"y\n',
    'There is text after the quote that ends a cell. Write a quote inside of a cell as "".',
    2,
  ],
  ["a,b\n1,\0\n", "This line has U+0000, which no column can store.", 2],
  ["", "The file is empty. Its first line names the columns.", 1],
])("broken CSV answers 400: %j", async (file, detail, line) => {
  const table = await makeTable(server, { a: "integer", b: "text" });
  expect((await load(table, file)).body.errors).toContainEqual(expect.objectContaining({ detail, line }));
});

test("files that are not UTF-8 are refused with the line", async () => {
  const table = await makeTable(server, { a: "text" });
  const post = async (body: Uint8Array) =>
    (
      await server.request(table.path, {
        method: "POST",
        body: body as BodyInit,
        headers: { "Content-Type": "text/csv" },
      })
    ).json();
  const latin = new Uint8Array([...Buffer.from("a\nx\n"), 0xe4, 0x0a]);
  expect((await post(latin)).errors).toMatchObject([
    { line: 3, detail: "This line is not UTF-8. Save the file as UTF-8." },
  ]);
  const wide = new Uint8Array([0xff, 0xfe, ...Buffer.from("a\nx\n", "utf16le")]);
  expect((await post(wide)).errors).toMatchObject([
    { line: 1, detail: "The file is UTF-16. Save it as UTF-8." },
  ]);
});

test("empty lines are no rows, but for a table's only column", async () => {
  const two = await makeTable(server, { a: "text", b: "text" });
  expect((await load(two, "a,b\n\n1,2\r\n\r\n\n")).body.data).toEqual({ affected_rows: 1 });
  const one = await makeTable(server, { a: "text" });
  expect((await load(one, "a\n\n1\n")).body.data).toEqual({ affected_rows: 2 });
  expect((await load(one, "a\n")).body.data).toEqual({ affected_rows: 0 });
  expect((await load(one, "", "", "application/x-ndjson")).body.data).toEqual({ affected_rows: 0 });
});

test("lines of JSON with other columns, or that are no objects, are faults", async () => {
  const table = await makeTable(server, { a: "integer", b: "text" });
  const lines = ['{"a":1,"b":"x"}', '{"a":1}', "[1]", '{"a":1,"a":2}', '{"a":"x","b":1}', "{"];
  const { body } = await load(table, lines.join("\n"), "", "application/x-ndjson");
  expect(body.errors.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5, 5, 6]);
  expect(await table.values()).toEqual([]);
});

test("parameters of files are refused for JSON, so a dry run is never a real one", async () => {
  const table = await makeTable(server, { a: "integer" });
  const answer = await send(server, `POST ${table.path}?$dry_run=true`, {
    body: { rows: [{ a: 1 }] },
    headers: { "Content-Type": "application/json" },
  });
  expect(answer).toMatchObject({ status: 400, pointers: ["/query/$dry_run"] });
  expect(await table.values()).toEqual([]);
});

test("a JSON body cannot name a file of the server", async () => {
  const table = await makeTable(server, { a: "text" });
  const body = { path: "/etc/hostname", size: 10, sha256: "", fileName: "", declaredType: "text/csv" };
  const answer = await send(server, `POST ${table.path}`, {
    body,
    headers: { "Content-Type": "application/json" },
  });
  expect(answer).toMatchObject({ status: 400, code: "invalid_body" });
});

test("files that are too large, compressed or of another type are refused", async () => {
  const table = await makeTable(server, { a: "text" });
  expect((await load(table, `a\n${"x".repeat(3 * 1024 ** 2)}`)).status).toBe(413);
  expect((await load(table, "a\n1", "", "text/plain")).status).toBe(415);
  expect((await load(table, "a\n1", "", "text/csv; charset=iso-8859-1")).status).toBe(415);
  expect((await load(table, "a\n1", "", "text/csv; charset=utf-8")).status).toBe(201);
  const headers = { "Content-Type": "text/csv", "Content-Encoding": "gzip" };
  expect((await send(server, `POST ${table.path}`, { body: "a", headers })).status).toBe(415);
});

test("a table that another process has dropped and created again is noticed", async () => {
  const table = await makeTable(server, { a: "integer" });
  await load(table, "a\n1\n");
  const other = await startServer({ database: server.database });
  try {
    const api = await other.tables();
    await api.dropTable({ tenantId: 1, table: table.name, confirm: true });
    const newTable = { name: table.name, columns: [{ name: "b", type: "text" as const, nullable: true }] };
    await api.createTable({ tenantId: 1, newTable });
    expect((await load(table, "b\nx\n")).status).toBe(201);
    expect(await table.values()).toEqual([{ b: "x" }]);
  } finally {
    await other.stop();
  }
});

test("many rows are imported in slices, with long and short ones", async () => {
  const table = await makeTable(server, { n: "integer", s: "text" });
  const row = (n: number) => `${n},"${"ä".repeat(n % 1_000)}\n${n}"`;
  const count = 4_000;
  const file = ["n,s", ...Array.from({ length: count }, (_, n) => row(n))].join("\n");
  expect(Buffer.byteLength(file)).toBeLessThan(3 * 1024 ** 2 * 2);
  const big = await startServer({ database: server.database });
  const answer = await send(big, `POST ${table.path}`, {
    body: file,
    headers: { "Content-Type": "text/csv" },
  });
  await big.stop();
  expect(answer.body.data).toEqual({ affected_rows: count });
  const [sums] = await server.sql.unsafe<{ rows: number; right: number }[]>(
    `select count(*)::int as rows, (count(*) filter (where s = repeat('ä', n % 1000) || E'\\n' || n))::int as right
     from tenant_1.${table.name}`,
  );
  expect(sums).toEqual({ rows: count, right: count });
});

test("a file with an Idempotency-Key is imported once, and its key serves no other file", async () => {
  const table = await makeTable(server, { label: "text" });
  const sent = (body: string, query = "") =>
    send(server, `POST ${table.path}${query}`, {
      body,
      headers: { "Content-Type": "text/csv", "Idempotency-Key": "file-1" },
    });
  // Neither a dry run nor a file with faults uses the key up.
  expect((await sent("label\na\nb\n", "?$dry_run=true")).status).toBe(200);
  expect((await sent("other\na\n")).status).toBe(400);
  const first = await sent("label\na\nb\n");
  expect(first).toMatchObject({ status: 201, body: { data: { affected_rows: 2 } } });
  expect(await sent("label\na\nb\n")).toMatchObject({ status: 201, body: first.body });
  expect(await sent("label\na\nc\n")).toMatchObject({
    status: 422,
    body: { code: "idempotency_key_reused" },
  });
  expect(await table.values()).toEqual([{ label: "a" }, { label: "b" }]);
});
