/**
 * A real PostgreSQL for a whole test run, and a fresh database in it for each test file.
 *
 * `DATABASE_URL` names one; without it an embedded one is started on first use, in a process that ends, and removes
 * its folder, when the test run does.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** On the global object: a test runner may load this module once for each file. */
const shared = globalThis as typeof globalThis & { waybillTestServer?: Promise<string> };

/** An empty database; call `drop` when the file's tests are done. */
export async function createDatabase(): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `waybill_test_${randomBytes(6).toString("hex")}`;
  await administer(server, (sql) => sql`create database ${sql(name)}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => administer(server, (sql) => sql`drop database if exists ${sql(name)} with (force)`),
  };
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
  for await (const line of child.stdout) return String(line).trim();
  throw new Error("the test run's PostgreSQL did not start");
}

async function administer(url: string, statement: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await statement(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
