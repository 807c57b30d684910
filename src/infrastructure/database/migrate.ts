/**
 * Brings a database to the state that this version of the code expects.
 *
 * A migration is a file `NNNN_name.sql`. It runs once, in one transaction with the row that records it, so it is
 * applied completely or not at all. An applied file is never edited: its hash is compared at every start.
 *
 * The previous version can run and start on the migrated database. So a migration only adds, and its first line says
 * which versions can run on it (migrationHistory.ts). It tries to get its locks for a short time and tries again,
 * because an `alter table` that waits behind a long transaction delays everybody else who uses the table.
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
import { upgradeTenants } from "./tenantRecords.ts";

/** The number of the advisory lock under which one process migrates and the others wait. Nobody else may use it. */
const migrationLock = 8_212_024_115;
/** How long one attempt waits for a lock. */
const lockTimeout = "1s";
const lockPauseMs = 2_000;

export interface MigrateOptions {
  readonly log: DatabaseLog;
  /** `migrations` next to this file by default. */
  readonly folder?: string;
  /** How long a migration tries to get its locks. Five minutes by default. */
  readonly lockSeconds?: number;
}

/**
 * Applies the missing migrations, then the missing steps of each tenant (tenantRecords.ts). Several processes may call
 * it at the same time. Throws a one-line ConfigError if PostgreSQL is too old, or if this version of the code cannot
 * work on the database.
 */
export async function migrate(url: string, options: MigrateOptions): Promise<void> {
  const migrations = await readMigrations(options.folder ?? join(import.meta.dir, "migrations"));
  // A migration may take long, and so may the wait for another process that migrates.
  const pool = connect(url, { max: 1, settings: { lock_timeout: "0", statement_timeout: "0" } });
  try {
    await migrateUnderLock(await pool.reserve(), migrations, options);
  } finally {
    // Ends the session, which releases the lock.
    await pool.end({ timeout: 5 });
  }
}

/** `sql` is one session, because the lock ends with its session. */
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
    await inTries(options, migration.name, () => apply(sql, migration));
    options.log.info({ migration: migration.name }, "Database migrated");
  }
  await upgradeTenants(sql, options.log, (name, work) =>
    inTries(options, name, () => transaction(sql, name, work)),
  );
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1)
        throw new Error(`Migrations are numbered 1, 2, 3 and so on, but ${name} is number ${index + 1}`);
      const text = await readFile(join(folder, name), "utf8");
      const sha256 = new Bun.CryptoHasher("sha256").update(text).digest("hex");
      return { version, name, text, sha256, compatibleFrom: compatibility(version, name, text) };
    }),
  );
}

async function requireVersion(sql: Queryable): Promise<void> {
  const [row] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number,
           current_setting('server_version') as name`;
  if (row && row.number >= 150_000) return;
  throw new ConfigError(`DATABASE_URL names a PostgreSQL ${row?.name}; Waybill needs PostgreSQL 15 or newer`);
}

async function inTries(
  { log, lockSeconds = 300 }: MigrateOptions,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  for (const deadline = Date.now() + lockSeconds * 1000; ; await Bun.sleep(lockPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error as Error) || Date.now() > deadline) throw error;
      log.warn({ migration: name }, "Migration is waiting for a transaction that uses its tables");
    }
  }
}

/** lock_not_available, deadlock_detected */
const isLocked = ({ cause }: { cause?: unknown }) =>
  cause instanceof postgres.PostgresError && (cause.code === "55P03" || cause.code === "40P01");

const apply = (sql: postgres.ReservedSql, migration: Migration) =>
  transaction(sql, `migration ${migration.name}`, async (tx) => {
    await tx.unsafe(migration.text).simple();
    await record(tx, migration);
  });

async function transaction(
  sql: postgres.ReservedSql,
  name: string,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  try {
    await sql.begin(async (tx: Tx) => {
      await tx.unsafe(`set local lock_timeout = '${lockTimeout}'`);
      await work(tx);
    });
  } catch (cause) {
    if (!(cause instanceof postgres.PostgresError)) throw cause;
    throw new Error(`The ${name} failed: ${cause.message}`, { cause });
  }
}
