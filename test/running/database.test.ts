/** Waybill on an operator's database: several processes, and a shutdown that loses no request. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { inFolder, repository, type WaybillProcess } from "../support/waybillProcess.ts";

const timeout = 30_000;
const tables = "/api/v1/report/1/schema/tables";
const secret = "a secret of at least thirty-two characters";
let database: TestDatabase;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await createDatabase();
  sql = postgres(database.url, { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end({ timeout: 5 });
  await database.drop();
});

const environment = () => ({ DATABASE_URL: database.url, JWT_SECRET: secret });

async function tokenOf(start: (options: object) => WaybillProcess): Promise<string> {
  const args = ["--tenant", "1", "--slug", "demo", "--user", "alice", "--role", "admin_sop"];
  const waybill = start({
    command: [join(repository, "src/commands/token.ts"), ...args],
    environment: environment(),
  });
  expect(await waybill.exited).toBe(0);
  return waybill.stdout().trim();
}

test(
  "two servers that start simultaneously on a new database both serve it, and make no folder but .data",
  () =>
    inFolder(async (folder, start) => {
      const servers = [start({ environment: environment() }), start({ environment: environment() })];
      const urls = await Promise.all(servers.map(({ listening }) => listening));
      const headers = { authorization: `Bearer ${await tokenOf(start)}`, "content-type": "application/json" };
      const body = JSON.stringify({ name: "customers", columns: [{ name: "full_name", type: "text" }] });
      expect((await fetch(urls[0] + tables, { method: "POST", headers, body })).status).toBe(201);
      const seen = await fetch(`${urls[1]}${tables}/customers`, { headers });
      expect(await seen.json()).toMatchObject({ data: { table_name: "customers" } });
      // A server with DATABASE_URL prints no token of the demo tenant.
      expect(servers.map((server) => server.stdout())).toEqual(["", ""]);
      expect((await readdir(folder)).filter((name) => name !== ".data")).toEqual([]);
    }),
  timeout,
);

test(
  "SIGTERM: running requests are answered, new ones are refused, and the exit code is 0",
  () =>
    inFolder(async (_folder, start) => {
      const server = start({ environment: environment() });
      const url = await server.listening;
      const headers = { authorization: `Bearer ${await tokenOf(start)}` };
      const slow = await sql.begin(async (tx) => {
        await tx`lock table tenant_1.customers in access exclusive mode`;
        const request = fetch(`${url}${tables}/customers/rows`, { headers });
        await untilBlocked();
        server.kill("SIGTERM");
        while (!server.stderr().includes("shutting down")) await Bun.sleep(5);
        await Bun.sleep(50);
        // A connection that is kept alive may still get an answer. A new one is not accepted.
        const late = await fetch(`${url}/readyz`).then(
          ({ status }) => status,
          () => "refused",
        );
        expect([503, "refused"]).toContain(late);
        return { request };
      });
      expect((await slow.request).status).toBe(200);
      expect(await server.exited).toBe(0);
      expect(fetch(`${url}/healthz`)).rejects.toThrow();
    }),
  timeout,
);

test(
  "SIGTERM: in the grace period the server is not ready, but serves and closes connections",
  () =>
    inFolder(async (_folder, start) => {
      const server = start({ environment: { ...environment(), SHUTDOWN_GRACE_SECONDS: "2" } });
      const url = await server.listening;
      const headers = { authorization: `Bearer ${await tokenOf(start)}` };
      expect((await fetch(url + tables, { headers })).headers.get("connection")).not.toBe("close");
      server.kill("SIGTERM");
      // The same signal twice, as Ctrl-C sends it under `bun run`.
      server.kill("SIGTERM");
      while (!server.stderr().includes("shutting down")) await Bun.sleep(5);
      const since = Date.now();
      let served = 0;
      for (; Date.now() - since < 1_500; served++) {
        const { status, headers: given } = await fetch(url + tables, { headers, keepalive: false });
        expect({ status, connection: given.get("connection") }).toEqual({ status: 200, connection: "close" });
        expect((await fetch(`${url}/readyz`)).status).toBe(503);
      }
      expect(served).toBeGreaterThan(5);
      expect(await server.exited).toBe(0);
      expect(fetch(`${url}/healthz`)).rejects.toThrow();
    }),
  timeout,
);

test(
  "a second signal ends the wait for running requests",
  () =>
    inFolder(async (_folder, start) => {
      const server = start({ environment: environment() });
      const url = await server.listening;
      const headers = { authorization: `Bearer ${await tokenOf(start)}` };
      await sql.begin(async (tx) => {
        await tx`lock table tenant_1.customers in access exclusive mode`;
        const request = fetch(`${url}${tables}/customers/rows`, { headers }).catch(() => "cut");
        await untilBlocked();
        server.kill("SIGTERM");
        await Bun.sleep(1_200);
        server.kill("SIGTERM");
        expect(await request).toBe("cut");
        expect(await server.exited).toBe(0);
      });
    }),
  timeout,
);

test(
  "SHUTDOWN_DRAIN_SECONDS limits the wait for running requests",
  () =>
    inFolder(async (_folder, start) => {
      const server = start({ environment: { ...environment(), SHUTDOWN_DRAIN_SECONDS: "0.5" } });
      const url = await server.listening;
      const headers = { authorization: `Bearer ${await tokenOf(start)}` };
      await sql.begin(async (tx) => {
        await tx`lock table tenant_1.customers in access exclusive mode`;
        const request = fetch(`${url}${tables}/customers/rows`, { headers }).catch(() => "cut");
        await untilBlocked();
        server.kill("SIGTERM");
        expect(await request).toBe("cut");
        expect(await server.exited).toBe(0);
      });
    }),
  timeout,
);

/** A statement of the server waits for a lock. */
const untilBlocked = () =>
  until(async () => {
    const [row] = await sql`
      select count(*)::int as waiting
        from pg_stat_activity
       where datname = current_database()
         and wait_event_type = 'Lock'`;
    return row?.waiting > 0;
  });
