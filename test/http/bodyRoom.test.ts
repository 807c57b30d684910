/** Bodies that stall, trickle or come in crowds are ended soon and leave room for others. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openRaw, type RawConnection } from "../support/rawHttp.ts";
import { beginUpload } from "../support/rawUpload.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { makeTable, send, type TestTable } from "../support/tables.ts";

const stallMs = 1_000;
const MiB = 1024 ** 2;
let server: TestServer;
let table: TestTable;
let neighbours: TestTable;
beforeAll(async () => {
  server = await startServer({ bodyStallMs: stallMs });
  table = await makeTable(server, { a: "text" });
  neighbours = await makeTable(server, { a: "text" }, { caller: { tenant: 2 } });
});
afterAll(() => server.stop());

async function begin(length: number | "chunked", tenant = 1): Promise<RawConnection> {
  const connection = await openRaw(server.url);
  const head = [
    `POST ${tenant === 1 ? table.path : neighbours.path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${await server.token({ tenant })}`,
    "Content-Type: application/json",
    length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`,
  ];
  connection.send(`${head.join("\r\n")}\r\n\r\n`);
  return connection;
}

/** Sent by an administrator of tenant 2. */
async function insertNextDoor(rows: readonly object[]): Promise<number> {
  const headers = { authorization: `Bearer ${await server.token({ tenant: 2 })}` };
  return (await send(server, `POST ${neighbours.path}`, { body: { rows }, headers })).status;
}

async function expectTooSlow(connection: RawConnection, withinMs = stallMs + 3_000): Promise<void> {
  const [answer] = await connection.answers(1, withinMs);
  expect(answer?.status).toBe(408);
  expect(JSON.parse(answer?.body ?? "")).toMatchObject({ code: "request_timeout" });
  await connection.closed();
}

test("a large body that stalls is answered 408, and its connection is closed", async () => {
  const connection = await begin(30 * MiB);
  connection.send(Buffer.alloc(MiB, " "));
  await expectTooSlow(connection);
});

test.each([
  ["a body without an announced length", () => begin("chunked"), `100000\r\n${" ".repeat(1_000)}`],
  ["a small body", () => begin(1_000), "{"],
  ["an upload", () => beginUpload(server, MiB), "--waybill-boundary\r\n"],
] as const)("%s that stalls is answered 408, and its connection is closed", async (_what, open, text) => {
  const connection = await open();
  connection.send(text);
  await expectTooSlow(connection);
});

test("a body that trickles is answered 408, whatever its length", async () => {
  const slow = [await begin(30 * MiB), await beginUpload(server, MiB)];
  const timer = setInterval(() => slow.map((connection) => connection.send(" ")), 50);
  await Promise.all(slow.map((connection) => expectTooSlow(connection)));
  clearInterval(timer);
});

test("a body that makes progress may take longer than the stall limit", async () => {
  const connection = await begin(600_000);
  for (let sent = 0; sent < 10; sent++) {
    connection.send(sent === 0 ? `{"rows":[{"a":"x"}]${" ".repeat(59_981)}` : " ".repeat(60_000));
    await Bun.sleep(150);
    if (sent === 8) connection.send(`${" ".repeat(59_999)}}`);
    if (sent === 8) break;
  }
  expect((await connection.answers(1))[0]?.status).toBe(201);
  connection.destroy();
});

test("a tenant's stalled bodies keep out only its own large bodies", async () => {
  const stalled = await Promise.all([begin(31 * MiB), begin(31 * MiB)]);
  let running = true;
  const keepUp = (async () => {
    while (running) {
      for (const connection of stalled) connection.send(" ".repeat(50_000));
      await Bun.sleep(300);
    }
  })();
  const started = performance.now();
  const third = await begin(31 * MiB);
  // Meanwhile a large body of another tenant and a small body of this tenant are read.
  expect(await insertNextDoor([{ a: "x".repeat(20 * MiB) }])).toBe(201);
  const small = await send(server, `POST ${table.path}`, { body: { rows: [{ a: "x" }] } });
  expect(small.status).toBe(201);
  const [refused] = await third.answers(1, 10_000);
  expect(refused?.status).toBe(503);
  expect(JSON.parse(refused?.body ?? "")).toMatchObject({ code: "overloaded" });
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(performance.now() - started).toBeLessThan(8_000);
  // A body of unknown length is read as far as there is room.
  const unknown = await begin("chunked");
  unknown.send(`600000\r\n${" ".repeat(6 * MiB)}`);
  expect((await unknown.answers(1))[0]?.status).toBe(503);
  await unknown.closed();
  running = false;
  await keepUp;
  for (const connection of stalled) connection.destroy();
  // The server closes the connection of a refused client that sends nothing more.
  await third.closed(20_000);
  // Closed connections give their room back.
  const again = { rows: [{ a: "x".repeat(20 * MiB) }] };
  expect(await send(server, `POST ${table.path}`, { body: again })).toMatchObject({ status: 201 });
}, 60_000);

test("hundreds of slow bodies are ended, and another tenant is served meanwhile", async () => {
  const slow = await Promise.all(Array.from({ length: 300 }, () => begin(1_000)));
  for (const connection of slow) connection.send("{");
  const started = performance.now();
  expect(await insertNextDoor([{ a: "x" }])).toBe(201);
  expect(performance.now() - started).toBeLessThan(stallMs);
  await Promise.all(slow.map((connection) => expectTooSlow(connection, 15_000)));
}, 30_000);
