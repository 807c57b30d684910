import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Sql } from "../../src/infrastructure/database/connect.ts";
import { startEmbeddedPostgres } from "../../src/infrastructure/database/embedded.ts";
import { postmasterPid, silent } from "../infrastructure/database/serverProcess.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { type FaultyProxy, startFaultyProxy } from "../support/faultyProxy.ts";
import { startServer, type TestServer } from "../support/server.ts";
import {
  type Answer,
  auditOf,
  makeTable,
  send,
  type TestTable,
  tablePath,
  tablesPath,
} from "../support/tables.ts";

// Longer than Bun's 5 s, because these tests wait for the timeouts of the server and the database.
setDefaultTimeout(60_000);

/** A server that reaches its database through a proxy, and waits 300 ms for a lock. */
let database: TestDatabase;
let proxy: FaultyProxy;
let sql: Sql;
let server: TestServer;
beforeAll(async () => {
  database = await createDatabase();
  const direct = new URL(database.url);
  proxy = await startFaultyProxy(direct);
  const through = new URL(database.url);
  through.port = proxy.url.port;
  sql = connect(through.href, { max: 4, settings: { lock_timeout: "300ms" } });
  server = await startServer({ database, deps: { sql } });
});
afterAll(async () => {
  await server.stop();
  await sql.end({ timeout: 5 });
  await proxy.close();
  await database.drop();
});

/** Every kind of request on one table. */
const requests = ({ name, path }: TestTable): [string, unknown?][] => [
  [`GET ${path}`],
  [`POST ${path}`, { rows: [{ a: "new" }] }],
  [`PATCH ${path}`, { where: { a: "kept" }, set: { a: "changed" } }],
  [`DELETE ${path}`, { where: { a: "kept" } }],
  [`DELETE ${tablePath(name)}?confirm=true`],
];
const definitionRequests = ({ name }: TestTable): [string, unknown?][] => [
  [`GET ${tablesPath()}`],
  [`GET ${tablePath(name)}`],
  [`POST ${tablesPath()}`, { name: "unmade", columns: [{ name: "a", type: "text" }] }],
];
const sendAll = (all: readonly [string, unknown?][], to = server) =>
  Promise.all(all.map(([request, body]) => send(to, request, { body })));

async function keptTable(of = server): Promise<TestTable> {
  const table = await makeTable(of, { a: "text" });
  await table.insert({ a: "kept" });
  return table;
}

const expectUnavailable = (answer: Answer) => {
  expect(answer).toMatchObject({ status: 503, code: "database_unavailable", body: { success: false } });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(answer.text).not.toMatch(/ECONN|127\.0\.0\.1|postgres|select|insert/i);
};

/** Seconds until the table is listed again. */
async function recovery({ path }: TestTable, of = server): Promise<number> {
  const since = performance.now();
  while ((await send(of, `GET ${path}`)).status !== 200) await Bun.sleep(50);
  return (performance.now() - since) / 1000;
}

test("without the database every operation answers 503 with Retry-After; afterwards they work", async () => {
  const table = await keptTable();
  proxy.set("refuse");
  const since = performance.now();
  for (const answer of await sendAll([...requests(table), ...definitionRequests(table)]))
    expectUnavailable(answer);
  expect(performance.now() - since).toBeLessThan(12_000);
  proxy.set("pass");
  expect(await recovery(table)).toBeLessThan(3);
  expect(await table.values()).toEqual([{ a: "kept" }]);
});

test("a database that accepts connections but does not answer leads to 503 after seconds", async () => {
  const table = await keptTable();
  proxy.set("hang");
  const since = performance.now();
  const [answer] = await sendAll([[`GET ${table.path}`]]);
  if (answer) expectUnavailable(answer);
  expect(performance.now() - since).toBeLessThan(12_000);
  proxy.set("pass");
  expect(await recovery(table)).toBeLessThan(3);
});

test("wherever the connection breaks during a write, row and record agree", async () => {
  const table = await makeTable(server, { n: "integer" });
  const attempts = new Map<number, string>();
  const insert = async (n: number) => {
    // The nth new connection breaks some bytes sooner than the one before.
    proxy.set("cut", { cutAfter: 2_000 - 10 * n });
    const answer = await send(server, `POST ${table.path}`, { body: { rows: [{ n }] } });
    expect([201, 503]).toContain(answer.status);
    attempts.set(n, String(answer.headers.get("x-request-id")));
    return answer.status;
  };
  let n = 0;
  while ((await insert(n++)) === 201);
  for (const end = n + 20; n < end; n++) await insert(n);
  proxy.set("pass");
  await recovery(table);
  const present = new Set((await table.rows()).map((row) => row.n));
  const records = new Map((await auditOf(server, table.name)).map((record) => [record.request_id, record]));
  for (const [n, requestId] of attempts)
    expect([n, records.get(requestId)?.outcome === "success"]).toEqual([n, present.has(n)]);
});

test("a locked table answers 503 busy after lock_timeout, and other tables still work", async () => {
  const [table, other] = [await keptTable(), await keptTable()];
  await server.sql.begin(async (tx) => {
    await tx.unsafe(`lock table tenant_1.${table.name} in access exclusive mode`);
    const since = performance.now();
    for (const answer of await sendAll(requests(table))) {
      expect(answer).toMatchObject({ status: 503, code: "busy" });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(performance.now() - since).toBeLessThan(2_500);
    expect(await other.values()).toEqual([{ a: "kept" }]);
    expect(await other.insert({ a: "meanwhile" })).toBe(1);
    expect(await send(server, `GET ${tablePath(table.name)}`)).toMatchObject({ status: 200 });
  });
  expect(await table.values()).toEqual([{ a: "kept" }]);
  const failures = (await auditOf(server, table.name)).filter(({ outcome }) => outcome === "failure");
  expect(failures.map(({ action }) => action).sort()).toEqual(["delete", "drop_table", "insert", "update"]);
});

test("if more requests than connections wait for one lock, all answer busy", async () => {
  const table = await keptTable();
  await server.sql.begin(async (tx) => {
    await tx.unsafe(`lock table tenant_1.${table.name} in access exclusive mode`);
    const answers = await sendAll(Array.from({ length: 20 }, () => [`GET ${table.path}`]));
    for (const answer of answers) expect(answer).toMatchObject({ status: 503, code: "busy" });
  });
  expect(await recovery(table)).toBeLessThan(1);
});

test("the default timeouts are 5 s for a lock and 30 s for a statement", async () => {
  const [settings] = await server.sql`
    select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`;
  expect<unknown>(settings).toEqual({ lock: "5s", statement: "30s" });
});

test("while a killed PostgreSQL restarts, requests answer 503, and no acknowledged row is lost", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "waybill-tables-outage-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log: silent });
  const own = await startServer({ database: { url: postgres.url, drop: async () => {} } });
  const table = await makeTable(own, { n: "integer" });
  const acknowledged: number[] = [];
  const statuses = new Set<number>();
  let running = true;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = writer; running; n += 4) {
      const answer = await send(own, `POST ${table.path}`, { body: { rows: [{ n }] } });
      statuses.add(answer.status);
      if (answer.status === 201) acknowledged.push(n);
      else await Bun.sleep(20);
    }
  });
  await Bun.sleep(200);
  process.kill(await postmasterPid(dataDir), "SIGKILL");
  await Bun.sleep(100);
  expect(await recovery(table, own)).toBeLessThan(15);
  await Bun.sleep(100);
  running = false;
  await Promise.all(writers);
  expect(statuses).toEqual(new Set([201, 503]));
  const rows = await own.sql.unsafe(`select n from tenant_1.${table.name}`);
  const present = new Set(rows.map(({ n }) => n));
  expect(acknowledged.filter((n) => !present.has(n))).toEqual([]);
  await own.stop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});
