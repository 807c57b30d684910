/**
 * Brings a database to the state that this version of the code expects.
 *
 * A migration is a file `NNNN_name.sql`. It runs once, in one transaction with the row that records it, so it is
 * applied whole or not at all. A file that was applied is never edited again: its hash is compared at every start.
 *
 * The version before keeps running, and starts, on the migrated database. So a migration adds and never takes away, and
 * its first line says which versions it leaves alone (migrationHistory.ts). It waits for locks in short tries: behind a
 * long transaction a waiting `alter table` would hold up everybody else who uses the table.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { ConfigError } from "../config.ts";
import { connect, type Queryable, type Tx } from "./connect.ts";
import type { DatabaseLog } from "./embedded.ts";
import {
  compatibility,
  type Migration,
  readApplied,
  record,
  requireSameHistory,
} from "./migrationHistory.ts";

/** Any number that nobody else uses: it names the lock under which one process migrates and the others wait. */
const migrationLock = 8_212_024_115;
/** How long one try waits for a lock. */
const lockTimeout = "1s";
const lockPauseMs = 2_000;

export interface MigrateOptions {
  readonly log: DatabaseLog;
  /** The migrations' own by default. */
  readonly folder?: string;
  /** How long a migration tries to get its locks; five minutes by default. */
  readonly lockSeconds?: number;
}

/**
 * Applies what is missing. Any number of processes may call it at once. Throws a one-line ConfigError for a PostgreSQL
 * that is too old and for a database that this version of the code cannot work on.
 */
export async function migrate(url: string, options: MigrateOptions): Promise<void> {
  const migrations = await readMigrations(options.folder ?? join(import.meta.dir, "migrations"));
  // Another process may hold the lock for as long as its migrations take, and ours may take as long.
  const pool = connect(url, { max: 1, settings: { lock_timeout: "0", statement_timeout: "0" } });
  try {
    await migrateUnderLock(await pool.reserve(), migrations, options);
  } finally {
    // Ends the session, and the lock with it.
    await pool.end({ timeout: 5 });
  }
}

/** `sql` is one session throughout: if it were lost and replaced, so would be the lock. */
async function migrateUnderLock(
  sql: postgres.ReservedSql,
  migrations: readonly Migration[],
  options: MigrateOptions,
): Promise<void> {
  await requireVersion(sql);
  await sql`select pg_advisory_lock(${migrationLock})`;
  const applied = await readApplied(sql);
  requireSameHistory(applied, migrations);
  const done = new Set(applied.map(({ version }) => version));
  for (const migration of migrations.filter(({ version }) => !done.has(version))) {
    await applyInTries(sql, migration, options);
    options.log.info({ migration: migration.name }, "migrated the database");
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1)
        throw new Error(`migrations are numbered 1, 2, 3 …: ${name} is number ${index + 1}`);
      const text = await readFile(join(folder, name), "utf8");
      const sha256 = new Bun.CryptoHasher("sha256").update(text).digest("hex");
      return { version, name, text, sha256, compatibleFrom: compatibility(version, name, text) };
    }),
  );
}

async function requireVersion(sql: Queryable): Promise<void> {
  const [row] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name`;
  if (row && row.number >= 150_000) return;
  throw new ConfigError(`DATABASE_URL names a PostgreSQL ${row?.name}; Waybill needs PostgreSQL 15 or newer`);
}

async function applyInTries(
  sql: postgres.ReservedSql,
  migration: Migration,
  { log, lockSeconds = 300 }: MigrateOptions,
): Promise<void> {
  for (const deadline = Date.now() + lockSeconds * 1000; ; await Bun.sleep(lockPauseMs)) {
    try {
      return await apply(sql, migration);
    } catch (error) {
      if (!isLocked(error as Error) || Date.now() > deadline) throw error;
      log.warn({ migration: migration.name }, "a migration waits for a transaction that uses its tables");
    }
  }
}

/** lock_not_available, deadlock_detected */
const isLocked = ({ cause }: { cause?: unknown }) =>
  cause instanceof postgres.PostgresError && (cause.code === "55P03" || cause.code === "40P01");

async function apply(sql: postgres.ReservedSql, migration: Migration): Promise<void> {
  try {
    await sql.begin(async (tx: Tx) => {
      await tx.unsafe(`set local lock_timeout = '${lockTimeout}'`);
      await tx.unsafe(migration.text).simple();
      await record(tx, migration);
    });
  } catch (cause) {
    if (!(cause instanceof postgres.PostgresError)) throw cause;
    throw new Error(`The migration ${migration.name} failed: ${cause.message}`, { cause });
  }
}
