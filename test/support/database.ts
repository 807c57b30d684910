/**
 * A real PostgreSQL for a test run, and a fresh database in it for each test file.
 *
 * `DATABASE_URL` names one. Without it, each process of the test run starts an embedded one on first use. A child
 * process runs it, and stops it and removes its folder when the test process ends.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { connect } from "../../src/infrastructure/database/connect.ts";
import { migrate } from "../../src/infrastructure/database/migrate.ts";
import { startJobs } from "../../src/infrastructure/jobs/jobs.ts";
import { createLog } from "../../src/infrastructure/log.ts";

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

const log = createLog("silent");

/** On the global object: a test runner may load this module once for each file. */
const shared = globalThis as typeof globalThis & {
  waybillTestServer?: Promise<string>;
  waybillTestTemplate?: Promise<string>;
};

/** An empty database. Call `drop` when the file's tests are done. */
export const createDatabase = (): Promise<TestDatabase> => create();

/**
 * A database as a server's first start leaves it: migrated, with the schema of the job queue.
 *
 * In an embedded PostgreSQL it is a copy of a template, which takes a quarter of the time. The template is made once,
 * by the real migrations. A PostgreSQL that `DATABASE_URL` names gets no template, since nothing would remove it.
 */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  if (!process.env.DATABASE_URL) {
    shared.waybillTestTemplate ??= makeTemplate();
    return create(await shared.waybillTestTemplate);
  }
  const database = await create();
  await migrate(database.url, { log });
  return database;
}

async function create(template = "template1"): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `waybill_test_${randomBytes(6).toString("hex")}`;
  await administer(server, (sql) => sql`create database ${sql(name)} template ${sql(template)}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => administer(server, (sql) => sql`drop database if exists ${sql(name)} with (force)`),
  };
}

/** Returns the template's name. */
async function makeTemplate(): Promise<string> {
  const { url } = await create();
  await migrate(url, { log });
  const sql = connect(url, { max: 1 });
  try {
    const jobs = await startJobs(sql, { log });
    await jobs.stop();
  } finally {
    // PostgreSQL copies no database to which somebody is connected.
    await sql.end({ timeout: 5 });
  }
  return new URL(url).pathname.slice(1);
}

/** The superuser's URL of the run's server. */
export function serverUrl(): Promise<string> {
  const given = process.env.DATABASE_URL;
  shared.waybillTestServer ??= given ? Promise.resolve(given) : startServer();
  return shared.waybillTestServer;
}

async function startServer(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "waybill-test-"));
  const script = join(import.meta.dir, "embeddedServer.ts");
  const child = spawn(process.execPath, [script, dataDir, "--remove"], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  child.unref();
  for await (const line of child.stdout) {
    const url = String(line).trim();
    await administer(url, neverSync);
    return url;
  }
  throw new Error("The test run's PostgreSQL did not start.");
}

/** Nobody needs these databases after a crash of the machine. Tests of the embedded PostgreSQL start their own. */
async function neverSync(sql: postgres.Sql): Promise<void> {
  await sql`alter system set fsync = off`;
  await sql`alter system set full_page_writes = off`;
  await sql`select pg_reload_conf()`;
}

async function administer(url: string, statement: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    await statement(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
