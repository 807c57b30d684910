import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send, type TestTable } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ readerStallMs: 1_500 });
});
afterAll(() => server.stop());

const everyType = {
  label: "text",
  quantity: "integer",
  reference: "bigint",
  price: "numeric",
  active: "boolean",
  due: "date",
  seen_at: "timestamp",
  details: "jsonb",
} as const;

const exported = async (table: TestTable, accept: string, query = "") => {
  const response = await server.request(`${table.path}${query}`, { headers: { Accept: accept } });
  return { response, text: await response.text() };
};

test("Accept: text/csv answers every row, with a name for the browser", async () => {
  const table = await makeTable(server, everyType);
  await table.insert({
    label: 'a "quoted", text\r\nwith lines',
    quantity: -7,
    reference: "9007199254740993",
    price: "1.10",
    active: true,
    due: "2026-09-04",
    seen_at: "2026-09-04T10:15:30.5+02:00",
    details: { a: [1, "x"] },
  });
  await table.insert({ label: "", active: false });
  const [first, second] = await table.rows();
  const { response, text } = await exported(table, "text/csv");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${table.name}.csv"`);
  expect(text).toBe(
    [
      "id,created_at,updated_at,label,quantity,reference,price,active,due,seen_at,details",
      `1,${first?.created_at},${first?.updated_at},"a ""quoted"", text\r\nwith lines",-7,9007199254740993,1.10,true,` +
        `2026-09-04,2026-09-04T08:15:30.500000Z,"{""a"": [1, ""x""]}"`,
      `2,${second?.created_at},${second?.updated_at},"",,,,false,,,`,
      "",
    ].join("\r\n"),
  );
});

test("Accept: application/x-ndjson answers the rows of the JSON answer, one in a line", async () => {
  const table = await makeTable(server, everyType);
  await table.insert(
    { label: "line\nbreak \\ \u0001 ä 😀", price: "1.10", details: [1.5, "a\\b"] },
    { label: null, price: null, details: null },
  );
  const { response, text } = await exported(table, "application/x-ndjson");
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${table.name}.ndjson"`);
  const list = await send(server, `GET ${table.path}`);
  expect(
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  ).toEqual(list.body.data.rows);
});

test("an empty table answers the header line, and no line of JSON", async () => {
  const table = await makeTable(server, { n: "integer" });
  expect((await exported(table, "text/csv")).text).toBe("id,created_at,updated_at,n\r\n");
  expect((await exported(table, "application/x-ndjson")).text).toBe("");
});

test("other values of Accept answer JSON", async () => {
  const table = await makeTable(server, { n: "integer" });
  for (const accept of [
    "*/*",
    "text/html,application/xhtml+xml,*/*;q=0.8",
    "image/png",
    "application/json, text/csv",
  ])
    expect((await exported(table, accept)).response.headers.get("content-type")).toBe("application/json");
  expect((await exported(table, "text/csv;q=0.9, application/json;q=0.1")).text).toStartWith("id,");
});

test("filters choose the rows of a file, and their values never become SQL", async () => {
  const table = await makeTable(server, { s: "text", n: "integer", j: "jsonb" });
  const hostile = "'; drop table x; --\\ $1 ${a}";
  await table.insert({ s: hostile, n: 1, j: { a: 1 } }, { s: "other", n: 2, j: { a: 2 } });
  const query = `?s=${encodeURIComponent(hostile)}&n=1&j=${encodeURIComponent('{"a":1}')}`;
  const { text } = await exported(table, "application/x-ndjson", query);
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).s),
  ).toEqual([hostile]);
});

test("$filter, $orderby and $select apply to files", async () => {
  const table = await makeTable(server, { s: "text", n: "integer", t: "timestamp", b: "boolean" });
  const t = "2026-09-04T08:15:30Z";
  await table.insert(
    { s: "a", n: 1, t, b: true },
    { s: "it's", n: 2, t, b: false },
    { s: "c", n: null, t, b: null },
  );
  const query = (text: string) => `?${new URLSearchParams(text)}`;
  const cut = query("$select=n,t,b&$orderby=n desc&$filter=s in ('it''s','a','c') and not (n eq 7)");
  expect((await exported(table, "text/csv", cut)).text.split("\r\n")).toEqual([
    "id,n,t,b",
    "2,2,2026-09-04T08:15:30.000000Z,false",
    "1,1,2026-09-04T08:15:30.000000Z,true",
    "3,,2026-09-04T08:15:30.000000Z,",
    "",
  ]);
  expect(
    (await exported(table, "application/x-ndjson", query("$select=n&$orderby=s&$filter=n eq 2"))).text,
  ).toBe('{"id":"2","n":2}\n');
});

test("a file that the database does not begin in time answers 400", async () => {
  const slow = await startServer({
    database: server.database,
    environment: { TABLES_STATEMENT_TIMEOUT_SECONDS: "1" },
  });
  try {
    const table = await largeTable(60_000);
    const filter = new URLSearchParams({
      $filter: `not (${Array(190).fill("contains(s,'y')").join(" or ")})`,
    });
    const url = `${table.path}?${filter}&$orderby=s desc,n`;
    const response = await slow.request(url, { headers: { Accept: "text/csv" } });
    expect((await response.json()).code).toBe("query_too_slow");
    await until(async () => (await exportsRunning()) === 0);
  } finally {
    await slow.stop();
  }
});

test("a file cannot have page or limit, and unknown parameters answer 400", async () => {
  const table = await makeTable(server, { n: "integer" });
  const refused = async (query: string) => {
    const { response, text } = await exported(table, "text/csv", query);
    return [response.status, JSON.parse(text).errors.map(({ pointer }: { pointer: string }) => pointer)];
  };
  expect(await refused("?page=0&limit=10")).toEqual([400, ["/query/page", "/query/limit"]]);
  expect(await refused("?$order=n")).toEqual([400, ["/query/$order"]]);
  expect(await refused("?m=1")).toEqual([400, ["/query/m"]]);
});

test("$safe=true writes an apostrophe before texts that a spreadsheet would run", async () => {
  const table = await makeTable(server, { s: "text", n: "integer" });
  for (const s of ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "a=1", ""]) await table.insert({ s, n: -1 });
  const cells = async (query: string) =>
    (await exported(table, "text/csv", query)).text
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(",").slice(3).join());
  expect(await cells("?$safe=true")).toEqual([
    "'=1+1,-1",
    "'+1,-1",
    "'-1,-1",
    "'@x,-1",
    "'\tx,-1",
    `"'\rx",-1`,
    "a=1,-1",
    `"",-1`,
  ]);
  expect(await cells("")).toEqual([
    "=1+1,-1",
    "+1,-1",
    "-1,-1",
    "@x,-1",
    "\tx,-1",
    `"\rx",-1`,
    "a=1,-1",
    `"",-1`,
  ]);
});

/** Rows of about 1 kB. */
async function largeTable(rows: number): Promise<TestTable> {
  const table = await makeTable(server, { s: "text", n: "integer" });
  await server.sql.unsafe(
    `insert into tenant_1.${table.name} (s, n) select repeat('x', 1000), i from generate_series(1, ${rows}) i`,
  );
  return table;
}

const exportsRunning = async () =>
  (await server.sql`select from pg_stat_activity where query like 'copy (select %'  and state <> 'idle'`)
    .length;

test("many rows arrive whole and in order, in little memory", async () => {
  const table = await largeTable(60_000);
  const response = await server.request(table.path, { headers: { Accept: "text/csv" } });
  let [lines, rest] = [[] as string[], ""];
  let next = 0;
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    lines = (rest + chunk).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (next++ > 0) expect(line.endsWith(`,${next - 1}`)).toBe(true);
  }
  expect(next).toBe(60_001);
});

test("a client that leaves ends the export, and its connection is free again", async () => {
  const table = await largeTable(60_000);
  for (let round = 0; round < 6; round++) {
    const leave = new AbortController();
    const response = await server.request(table.path, {
      headers: { Accept: "text/csv" },
      signal: leave.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(await exportsRunning()).toBe(1);
    leave.abort();
    await until(async () => (await exportsRunning()) === 0);
  }
});

/** A request whose answer is read only as far as `read` is called. */
async function slowly(table: TestTable) {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const head = `GET ${table.path} HTTP/1.1\r\nHost: x\r\nAccept: text/csv\r\nAuthorization: Bearer ${await server.token()}`;
  socket.write(`${head}\r\n\r\n`);
  await new Promise((resolve) => socket.once("readable", resolve));
  return socket;
}

async function rest(socket: Socket): Promise<string> {
  let end = "";
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    end = (end + bytes.toString("latin1")).slice(-100);
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return end;
}

test("a failure in the middle breaks the connection, so the file is not taken for whole", async () => {
  const table = await largeTable(60_000);
  const socket = await slowly(table);
  await until(async () => (await exportsRunning()) === 1);
  await server.sql`
    select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy (select %' and state <> 'idle'`;
  // A chunked body that is whole ends with an empty chunk.
  expect(await rest(socket)).not.toEndWith("\r\n0\r\n\r\n");
  await until(async () => (await exportsRunning()) === 0);
});

test("a client that stops reading loses its connection, and the export ends", async () => {
  const table = await largeTable(60_000);
  const socket = await slowly(table);
  await until(async () => (await exportsRunning()) === 1);
  await until(async () => (await exportsRunning()) === 0);
  expect(await rest(socket)).not.toEndWith("\r\n0\r\n\r\n");
});

test("a tenant has two exports at a time, and the others wait for their turn", async () => {
  const table = await largeTable(20_000);
  const texts = await Promise.all(Array.from({ length: 6 }, () => exported(table, "application/x-ndjson")));
  expect(texts.map(({ text }) => text.split("\n").length)).toEqual(Array(6).fill(20_001));
});

test("a table that is dropped and created again by another process is noticed", async () => {
  const table = await makeTable(server, { a: "integer" });
  await table.insert({ a: 1 });
  expect((await exported(table, "text/csv")).text).toStartWith("id,created_at,updated_at,a\r\n");
  const other = await startServer({ database: server.database });
  try {
    const api = await other.tables();
    await api.dropTable({ tenantId: 1, table: table.name, confirm: true });
    const newTable = { name: table.name, columns: [{ name: "b", type: "text" as const, nullable: true }] };
    await api.createTable({ tenantId: 1, newTable });
    expect((await exported(table, "text/csv")).text).toBe("id,created_at,updated_at,b\r\n");
    await api.dropTable({ tenantId: 1, table: table.name, confirm: true });
    expect((await exported(table, "text/csv")).response.status).toBe(404);
  } finally {
    await other.stop();
  }
});
