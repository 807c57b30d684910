/** A PostgreSQL of the suite's own, and an empty database in it for each Waybill. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { connect, type Sql } from "../src/infrastructure/database/connect.ts";
import { startEmbeddedPostgres } from "../src/infrastructure/database/embedded.ts";

export interface Databases {
  /** The URL of a new database. */
  create(name: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startDatabases(): Promise<Databases> {
  const dataDir = await mkdtemp(join(tmpdir(), "waybill-bench-"));
  const cluster = await startEmbeddedPostgres({ dataDir, log: pino({ level: "silent" }) });
  return {
    async create(name) {
      await withDatabase(cluster.url, (sql) => sql`create database ${sql(name)}`);
      const url = new URL(cluster.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    async stop() {
      await cluster.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Statements may take as long as they need. */
export async function withDatabase<T>(url: string, use: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect(url, { max: 1, settings: { statement_timeout: "0" }, answerSeconds: 600 });
  try {
    return await use(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
