/**
 * Slow, broken and hostile clients, byte by byte. Each soon gets an answer or its connection is closed, and nothing is
 * half written. Bun's parser refuses what is not HTTP, with a 4xx without a body.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { openRaw, type RawConnection } from "../support/rawHttp.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let authorization: string;
let connection: RawConnection;
const path = "/api/v1/report/1/schema/tables";
const body = '{"name":"customers","columns":[{"name":"full_name","type":"text"}]}';

beforeAll(async () => {
  server = await startServer({ bodyTimeoutMs: 300 });
  authorization = `Authorization: Bearer ${await server.token()}`;
  await server.request(path);
});
afterAll(() => server.stop());
beforeEach(async () => {
  connection = await openRaw(server.url);
});
afterEach(() => connection.destroy());

const head = (...fields: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    authorization,
    "Content-Type: application/json",
    ...fields,
    "",
    "",
  ].join("\r\n");

const tableCount = async () => {
  const [row] = await server.sql`select count(*)::int as count from tenant_1._tables`;
  return row?.count as number;
};

const createAndDrop = async () => {
  expect(await tableCount()).toBe(1);
  await (await server.tables()).dropTable({ tenantId: 1, table: "customers", confirm: true });
};

test("a body that never ends is answered 408, and nothing is written", async () => {
  connection.send(`${head(`Content-Length: ${body.length}`)}${body.slice(0, 20)}`);
  const [answer] = await connection.answers(1);
  expect(answer?.status).toBe(408);
  expect(JSON.parse(answer?.body ?? "")).toMatchObject({ code: "request_timeout" });
  expect(await tableCount()).toBe(0);
});

test("a body that trickles has the same deadline as one that stalls", async () => {
  connection.send(head(`Content-Length: ${body.length}`));
  const started = performance.now();
  const timer = setInterval(() => connection.send(" "), 20);
  const [answer] = await connection.answers(1);
  clearInterval(timer);
  expect(answer?.status).toBe(408);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test("a client that disconnects in its body leaves nothing behind", async () => {
  for (const cut of [0, 1, body.length - 1]) {
    const hasty = await openRaw(server.url);
    hasty.send(`${head(`Content-Length: ${body.length}`)}${body.slice(0, cut)}`);
    await Bun.sleep(20);
    hasty.destroy();
  }
  await Bun.sleep(350);
  expect(await tableCount()).toBe(0);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(server.logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("headers and body that arrive byte by byte in time are served", async () => {
  const request = `${head(`Content-Length: ${body.length}`)}${body}`;
  for (let at = 0; at < request.length; at += 40) {
    connection.send(request.slice(at, at + 40));
    await Bun.sleep(1);
  }
  expect((await connection.answers(1))[0]?.status).toBe(201);
  await createAndDrop();
});

test("a chunked body is served, and a broken chunk is refused", async () => {
  connection.send(`${head("Transfer-Encoding: chunked")}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  expect((await connection.answers(1))[0]?.status).toBe(201);
  await createAndDrop();
  const broken = await openRaw(server.url);
  broken.send(`${head("Transfer-Encoding: chunked")}zz\r\n${body}\r\n0\r\n\r\n`);
  expect((await broken.answers(1))[0]?.status).toBe(400);
  await broken.closed();
  expect(await tableCount()).toBe(0);
});

test("Expect: 100-continue is answered before the body is sent", async () => {
  connection.send(head(`Content-Length: ${body.length}`, "Expect: 100-continue"));
  expect((await connection.answers(1))[0]?.status).toBe(100);
  connection.send(body);
  expect((await connection.answers(2))[1]?.status).toBe(201);
  await createAndDrop();
});

test("a caller without a token is refused before the body is read", async () => {
  connection.send(head("Content-Length: 1000").replace(`${authorization}\r\n`, ""));
  expect((await connection.answers(1))[0]?.status).toBe(401);
});

test("pipelined requests are answered in order, or the connection is closed", async () => {
  const get = (address: string) => `GET ${address} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  connection.send(get("/healthz") + get("/nowhere") + get("/healthz"));
  const answers = await connection.answers(3);
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 200].slice(0, answers.length));
});

test("an unread body is not treated as the next request", async () => {
  const smuggled = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const fields = `Host: localhost\r\nContent-Length: ${smuggled.length}\r\n\r\n`;
  connection.send(`GET /healthz HTTP/1.1\r\n${fields}${smuggled}`);
  await connection.answers(1);
  await Bun.sleep(50);
  expect(connection.received().match(/HTTP\/1\.1/g)).toHaveLength(1);
});

test.each([
  ["two different lengths", "Content-Length: 2\r\nContent-Length: 5", "{}   "],
  ["a length and chunks", "Content-Length: 2\r\nTransfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n"],
  ["a length that is not a number", "Content-Length: two", "{}"],
  ["a negative length", "Content-Length: -2", "{}"],
  ["a header that holds U+0000", "X-Name: a\0b\r\nContent-Length: 2", "{}"],
  ["a header of 100 KB", `X-Long: ${"a".repeat(100_000)}\r\nContent-Length: 2`, "{}"],
  ["a thousand headers", "X-Many: 1\r\n".repeat(1_000).trimEnd(), "{}"],
])(
  "a request with an ambiguous end is refused, and its connection is closed: %s",
  async (_what, fields, text) => {
    connection.send(head(fields) + text);
    const [answer] = await connection.answers(1);
    expect(answer?.status).toBeGreaterThanOrEqual(400);
    expect(answer?.status).toBeLessThan(500);
    await connection.closed();
  },
);

test.each([
  ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["no version", "GET /healthz\r\n\r\n"],
  ["no host", "GET /healthz HTTP/1.1\r\n\r\n"],
  ["an unknown method", "BREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["an address of 100 KB", `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
])("a connection that does not speak HTTP is closed: %s", async (_what, text) => {
  connection.send(text);
  await connection.closed();
  expect(connection.received()).not.toContain("HTTP/1.1 2");
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});
