/** Clients that do not read their large answers keep out only large answers of their own tenant. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { expectProblem } from "../support/problem.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { makeTable, type TestTable } from "../support/tables.ts";

const MiB = 1024 ** 2;
let server: TestServer;
let table: TestTable;
let neighbours: TestTable;
/** Full of surrogate pairs, so that a pair lies across each border between two pieces. */
const text = `${"x".repeat(7)}${"\u{1F600}é".repeat(2 * MiB)}`;
beforeAll(async () => {
  server = await startServer();
  table = await makeTable(server, { a: "text" });
  neighbours = await makeTable(server, { a: "text" }, { caller: { tenant: 2 } });
  await table.insert({ a: text });
  await neighbours.insert({ a: text });
});
afterAll(() => server.stop());

/** Requests the page and does not read it. */
async function stall(): Promise<Socket> {
  const { port } = new URL(server.url);
  const socket = connect({ port: Number(port), host: "127.0.0.1" });
  socket.on("error", () => {}).pause();
  const head = [
    `GET ${table.path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${await server.token()}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  return socket;
}

const digest = (value: string) => createHash("sha256").update(value).digest("hex");

test("a large page arrives complete", async () => {
  const [row] = await table.values();
  expect(digest(String(row?.a))).toBe(digest(text));
});

test("unread answers of a tenant are limited, and give their room back", async () => {
  const sockets = await Promise.all(Array.from({ length: 16 }, stall));
  const page = () => server.request(table.path);
  let refused = await page();
  for (
    const until = Date.now() + 10_000;
    refused.status === 200 && Date.now() < until;
    refused = await page()
  )
    await refused.arrayBuffer();
  expect(refused.headers.get("retry-after")).toBe("2");
  await expectProblem(refused, "overloaded");
  // The change is made, so it is not refused: its answer has no rows.
  const update = { where: { id: "1" }, set: { a: text } };
  const init = {
    method: "PATCH",
    body: JSON.stringify(update),
    headers: { prefer: "return=representation" },
  };
  const written = await server.request(table.path, init);
  expect(written.headers.get("preference-applied")).toBeNull();
  expect(await written.json()).toMatchObject({ message: "1 row was updated.", data: { affected_rows: 1 } });
  // Small answers of this tenant and large answers of another tenant are sent.
  expect((await server.request(`${table.path}?a=none`)).status).toBe(200);
  const headers = { authorization: `Bearer ${await server.token({ tenant: 2 })}` };
  const other = await server.request(neighbours.path, { headers });
  expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, expect.any(Number)]);
  for (const socket of sockets) socket.destroy();
  for (const until = Date.now() + 5_000; ; await Bun.sleep(50)) {
    const again = await page();
    await again.arrayBuffer();
    if (again.status === 200) break;
    expect(Date.now()).toBeLessThan(until);
  }
  const whole = await server.request(table.path, init);
  expect(whole.headers.get("preference-applied")).toBe("return=representation");
  expect(digest((await whole.json()).data.rows[0].a)).toBe(digest(text));
}, 30_000);
