import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { databaseProblem } from "../../../src/infrastructure/database/databaseProblem.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../../src/infrastructure/database/embedded.ts";
import { postmasterPid, silent } from "./serverProcess.ts";

let dataDir: string;
let database: EmbeddedPostgres;
let sql: Sql;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "waybill-outage-"));
  database = await startEmbeddedPostgres({ dataDir, log: silent });
  sql = connect(database.url, { max: 4 });
});

afterAll(async () => {
  await sql.end({ timeout: 5 });
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => databaseProblem(error)?.code ?? error,
  );

async function works(within: number): Promise<void> {
  for (const until = Date.now() + within; ; await Bun.sleep(50)) {
    const failure = await problemOf(sql`select 1`);
    if (failure === undefined) return;
    if (Date.now() > until) throw failure;
  }
}

async function lose(
  connection: Promise<readonly { pid?: number }[]> | PromiseLike<readonly { pid?: number }[]>,
) {
  const [row] = await connection;
  await sql`select pg_terminate_backend(${row?.pid ?? 0})`;
  await Bun.sleep(50);
}

test("a transaction whose connection is lost fails, and the connections after it work", async () => {
  const lost = sql.begin(async (tx) => {
    await lose(tx`select pg_backend_pid() as pid`);
    await tx`select 1`;
  });
  expect(await problemOf(lost)).toBe("database_unavailable");
  await Promise.all(Array.from({ length: 12 }, () => sql`select 1`));
});

test("a body that goes on after its transaction is lost sends nothing and disturbs no other query", async () => {
  const seen: unknown[] = [];
  const lost = sql.begin(async (tx) => {
    await lose(tx`select pg_backend_pid() as pid`);
    await tx.savepoint((inner) => inner`select 1`).catch((error) => seen.push(error.code));
    await tx`select 2`.catch((error) => seen.push(error.code));
    await tx.unsafe("select 3").catch((error) => seen.push(error.code));
  });
  expect(await problemOf(lost)).toBe("database_unavailable");
  // The body goes on after `begin` has failed.
  for (const until = Date.now() + 5_000; seen.length < 3 && Date.now() < until; ) await Bun.sleep(10);
  expect(seen).toHaveLength(3);
  expect(new Set(seen)).toEqual(new Set(["CONNECTION_CLOSED"]));
  await Promise.all(Array.from({ length: 12 }, () => sql`select 1`));
});

test("a connection that is lost while nobody uses it is replaced, and no query fails", async () => {
  await Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(0.05)`));
  await sql.begin(async (tx) => {
    await tx`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    await Bun.sleep(100);
  });
  await Promise.all(Array.from({ length: 12 }, () => sql`select 1`));
});

test("a PostgreSQL that dies under load restarts; until then every query fails in seconds", async () => {
  await sql`create table survivor (n integer primary key)`;
  let [last, slowest, failures] = [0, 0, 0];
  const acknowledged = new Set<number>();
  let running = true;
  const load = Array.from({ length: 40 }, async () => {
    while (running) {
      const [n, since] = [++last, Date.now()];
      const failure = await problemOf(
        n % 2
          ? sql`insert into survivor values (${n})`
          : sql.begin((tx) => tx`insert into survivor values (${n})`),
      );
      if (failure === undefined) acknowledged.add(n);
      else {
        expect(["database_unavailable", "busy"]).toContain(failure);
        failures++;
        await Bun.sleep(20);
      }
      slowest = Math.max(slowest, Date.now() - since);
    }
  });
  await Bun.sleep(300);
  process.kill(await postmasterPid(dataDir), "SIGKILL");
  await Bun.sleep(500);
  await works(15_000);
  running = false;
  await Promise.all(load);
  const rows = await sql<{ n: number }[]>`select n from survivor`;
  const present = new Set(rows.map(({ n }) => n));
  expect([...acknowledged].filter((n) => !present.has(n))).toEqual([]);
  expect(failures).toBeGreaterThan(0);
  expect(slowest).toBeLessThan(12_000);
});

test("a thousand queries while nothing listens all fail in seconds", async () => {
  const nobody = connect("postgres://nobody:x@127.0.0.1:1/none", { max: 5 });
  const since = Date.now();
  const failures = await Promise.all(Array.from({ length: 1000 }, () => problemOf(nobody`select 1`)));
  expect(new Set(failures)).toEqual(new Set(["database_unavailable"]));
  expect(Date.now() - since).toBeLessThan(3_000);
  await nobody.end();
});

async function withFakeServer(onConnection: (socket: Socket) => void, use: (sql: Sql) => Promise<void>) {
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const fake = connect(`postgres://a:b@127.0.0.1:${typeof address === "object" ? address?.port : 0}/c`, {
    max: 2,
  });
  try {
    await use(fake);
  } finally {
    await fake.end({ timeout: 0 });
    server.close();
  }
}

test("queries to a proxy that accepts and hangs up fail in seconds", () =>
  withFakeServer(
    (socket) => socket.destroy(),
    async (fake) => {
      const since = Date.now();
      const failures = await Promise.all(Array.from({ length: 20 }, () => problemOf(fake`select 1`)));
      expect(new Set(failures)).toEqual(new Set(["database_unavailable"]));
      expect(Date.now() - since).toBeLessThan(8_000);
    },
  ));

test("queries to a host that accepts and never answers fail in seconds", () =>
  withFakeServer(
    () => {},
    async (fake) => {
      const since = Date.now();
      const failures = await Promise.all(Array.from({ length: 20 }, () => problemOf(fake`select 1`)));
      expect(new Set(failures)).toEqual(new Set(["database_unavailable"]));
      expect(Date.now() - since).toBeLessThan(8_000);
    },
  ));

test("a wait for a lock is busy after lock_timeout, a slow statement after statement_timeout", async () => {
  const impatient = connect(database.url, {
    max: 2,
    settings: { lock_timeout: "50ms", statement_timeout: "500ms" },
  });
  await sql`create table held (n integer)`;
  await sql.begin(async (tx) => {
    await tx`lock table held`;
    expect(await problemOf(impatient`select * from held`)).toBe("busy");
    expect(await problemOf(impatient`select pg_sleep(5)`)).toBe("busy");
  });
  await impatient.end();
});

test("a pool that has ended refuses queries", async () => {
  const short = connect(database.url, { max: 1 });
  await short`select 1`;
  await short.end({ timeout: 5 });
  expect(await problemOf(short`select 1`)).toBe("database_unavailable");
});

test("a session that hangs is discarded; its query and its transaction fail", async () => {
  const impatient = connect(database.url, { max: 1, answerSeconds: 1 });
  try {
    for (const hang of [() => impatient`select 1`, () => impatient.begin((tx) => tx`select 1`)]) {
      const [session] = await impatient<{ pid: number }[]>`select pg_backend_pid() as pid`;
      process.kill(session?.pid ?? 0, "SIGSTOP");
      expect(await problemOf(Promise.resolve(hang()))).toBe("database_unavailable");
      process.kill(session?.pid ?? 0, "SIGCONT");
      expect(await impatient`select 1 as one`).toHaveLength(1);
    }
  } finally {
    await impatient.end({ timeout: 1 });
  }
});
