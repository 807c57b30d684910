import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRaw } from "../../support/rawHttp.ts";
import { secretsFrom, startServer, type TestServer } from "../../support/server.ts";
import { auditOf, makeTable, type TestTable } from "../../support/tables.ts";
import { until } from "../../support/until.ts";
import { startWaybill } from "../../support/waybillProcess.ts";

setDefaultTimeout(90_000);

const secret = "a secret that both servers of this test share";
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ secret, bodyStallMs: 1_000 });
});
afterAll(() => server.stop());

const csv = { "Content-Type": "text/csv" };
const rowsOf = async (table: TestTable) => {
  const [row] = await server.sql.unsafe<{ n: number }[]>(
    `select count(*)::int as n from tenant_1.${table.name}`,
  );
  return row?.n;
};
/** A file that takes the database some seconds, because of its index. */
const largeFile = (rows: number) =>
  `s,n\n${Array.from({ length: rows }, (_, n) => `${"x".repeat(200)},${n}\n`).join("")}`;
const copying = async () =>
  (
    await server.sql`select pid from pg_stat_activity where query like 'copy "tenant_1"%' and state = 'active'`
  ).length;

test("a server that is killed in the middle of an import leaves nothing", async () => {
  const table = await makeTable(server, { s: "text", n: "integer" });
  const folder = await mkdtemp(join(tmpdir(), "waybill-import-"));
  const environment = { DATABASE_URL: server.database.url, DATA_DIR: folder, ...secretsFrom(secret) };
  const other = startWaybill({ cwd: folder, environment });
  try {
    const headers = { ...csv, Authorization: `Bearer ${await server.token()}` };
    const url = `${await other.listening}${table.path}`;
    const answer = fetch(url, { method: "POST", body: largeFile(400_000), headers }).catch((error) => error);
    await until(async () => (await copying()) === 1);
    other.kill("SIGKILL");
    expect(await answer).toBeInstanceOf(Error);
    await until(async () => (await copying()) === 0);
    expect(await rowsOf(table)).toBe(0);
    expect(await auditOf(server, table.name)).toHaveLength(1);
  } finally {
    other.kill("SIGKILL");
    await other.exited;
    await rm(folder, { recursive: true, force: true });
  }
});

test("a client that leaves in the middle of an import leaves nothing, and the server stays free", async () => {
  const table = await makeTable(server, { s: "text", n: "integer" });
  const leave = new AbortController();
  const init = { method: "POST", headers: csv, signal: leave.signal };
  const answer = server.request(table.path, { ...init, body: largeFile(300_000) }).catch((error) => error);
  await until(async () => (await copying()) === 1);
  leave.abort();
  expect(await answer).toBeInstanceOf(Error);
  await until(async () => (await copying()) === 0);
  expect(await rowsOf(table)).toBe(0);
});

test("a client that stops sending gets 408, and its file is removed", async () => {
  const table = await makeTable(server, { s: "text" });
  const connection = await openRaw(server.url);
  const head = `POST ${table.path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n`;
  connection.send(`${head}Authorization: Bearer ${await server.token()}\r\n\r\ns\na\n`);
  const [answer] = await connection.answers(1, 20_000);
  expect(answer?.status).toBe(408);
  connection.destroy();
  await until(async () => (await readdir(join(server.deps.config.dataDir, "uploads"))).length === 0);
  expect(await rowsOf(table)).toBe(0);
});

test("a connection to the database that is lost in the middle answers 503", async () => {
  const table = await makeTable(server, { s: "text", n: "integer" });
  const answer = server.request(table.path, { method: "POST", headers: csv, body: largeFile(300_000) });
  await until(async () => (await copying()) === 1);
  await server.sql`
    select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy "tenant_1"%' and state = 'active'`;
  expect((await answer).status).toBe(503);
  expect(await rowsOf(table)).toBe(0);
});

test("two servers import into one table, others write it meanwhile, and a drop waits", async () => {
  const table = await makeTable(server, { s: "text", n: "integer" });
  const other = await startServer({ database: server.database, secret });
  try {
    const file = largeFile(100_000);
    const [first, second] = [server, other].map((one) =>
      one.request(table.path, { method: "POST", headers: csv, body: file }),
    );
    await until(async () => (await copying()) > 0);
    expect(await table.insert({ s: "y", n: -1 })).toBe(1);
    const drop = other
      .tables()
      .then((api) => api.dropTable({ tenantId: 1, table: table.name, confirm: true }));
    const dropped = await drop.then(
      () => true,
      () => false,
    );
    const statuses = [(await first)?.status, (await second)?.status].sort();
    // Whoever came first: the rows of an import are all there before the drop, or the table was gone.
    if (dropped) expect([201, 404, 503]).toEqual(expect.arrayContaining(statuses));
    else expect([statuses, await rowsOf(table)]).toEqual([[201, 201], 200_001]);
  } finally {
    await other.stop();
  }
});

test("an import has the workers and the connections of its tenant only", async () => {
  const table = await makeTable(server, { s: "text", n: "integer" });
  const file = largeFile(60_000);
  const imports = Array.from({ length: 4 }, () =>
    server.request(table.path, { method: "POST", headers: csv, body: file }),
  );
  await until(async () => (await copying()) > 0);
  expect(await copying()).toBeLessThanOrEqual(2);
  const quiet = await makeTable(server, { a: "integer" }, { caller: { tenant: 2 } });
  expect(await quiet.insert({ a: 1 })).toBe(1);
  expect((await Promise.all(imports)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(await rowsOf(table)).toBe(240_000);
});
