/**
 * Brings a database to the state that this version of the code expects (design 2).
 *
 * A migration is a file `NNNN_name.sql`. It runs once, in one transaction with the row that records it, so it is
 * applied whole or not at all. A file that was applied is never edited again: its hash is compared at every start.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { ConfigError } from "../config.ts";
import { connect, type Sql, type Tx } from "./connect.ts";
import type { DatabaseLog } from "./embedded.ts";

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sha256: string;
  readonly text: string;
}

type Applied = Pick<Migration, "version" | "name" | "sha256">;

/** Any number that nobody else uses: it names the lock under which one process migrates and the others wait. */
const migrationLock = 8_212_024_115;

/**
 * Applies what is missing. Any number of processes may call it at once. `folder` is the migrations' own by default.
 * Throws a one-line ConfigError for a PostgreSQL that is too old and for a database that other code has migrated.
 */
export async function migrate(
  url: string,
  { log, folder = join(import.meta.dir, "migrations") }: { log: DatabaseLog; folder?: string },
): Promise<void> {
  const migrations = await readMigrations(folder);
  // Another process may hold the lock for as long as its migrations take, and ours may take as long.
  const pool = connect(url, { max: 1, settings: { lock_timeout: "0", statement_timeout: "0" } });
  try {
    await migrateUnderLock(await pool.reserve(), migrations, log);
  } finally {
    // Ends the session, and the lock with it.
    await pool.end({ timeout: 5 });
  }
}

/** `sql` is one session throughout: if it were lost and replaced, so would be the lock. */
async function migrateUnderLock(sql: Sql, migrations: readonly Migration[], log: DatabaseLog): Promise<void> {
  await requireVersion(sql);
  await sql`select pg_advisory_lock(${migrationLock})`;
  const applied = await readApplied(sql);
  requireSameHistory(applied, migrations);
  for (const migration of migrations.slice(applied.length)) {
    await apply(sql, migration);
    log.info({ migration: migration.name }, "migrated the database");
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
      return { version, name, text, sha256: new Bun.CryptoHasher("sha256").update(text).digest("hex") };
    }),
  );
}

async function requireVersion(sql: Sql): Promise<void> {
  const [row] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name`;
  if (row && row.number >= 150_000) return;
  throw new ConfigError(`DATABASE_URL names a PostgreSQL ${row?.name}; Waybill needs PostgreSQL 15 or newer`);
}

async function readApplied(sql: Sql): Promise<Applied[]> {
  // Looked for first: a role that may not create schemas can still start on a database that is up to date.
  const [there] = await sql`select to_regclass('waybill.schema_migrations') is not null as exists`;
  if (!there?.exists) await createHistory(sql);
  return sql<Applied[]>`select version, name, sha256 from waybill.schema_migrations order by version`;
}

async function createHistory(sql: Sql): Promise<void> {
  await sql`create schema if not exists waybill`;
  await sql`
    create table if not exists waybill.schema_migrations (
      version integer primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null default now()
    )`;
}

function requireSameHistory(applied: readonly Applied[], migrations: readonly Migration[]): void {
  for (const [index, done] of applied.entries()) {
    const known = migrations[index];
    if (!known)
      throw new ConfigError(
        `The database is newer than this Waybill (it has ${done.name}): run a newer Waybill`,
      );
    if (known.sha256 !== done.sha256)
      throw new ConfigError(
        `The migration ${known.name} was changed after the database had applied it: restore that file`,
      );
  }
}

async function apply(sql: Sql, { version, name, sha256, text }: Migration): Promise<void> {
  try {
    await sql.begin(async (tx: Tx) => {
      await tx.unsafe(text).simple();
      await tx`insert into waybill.schema_migrations ${tx({ version, name, sha256 })}`;
    });
  } catch (cause) {
    if (!(cause instanceof postgres.PostgresError)) throw cause;
    throw new Error(`The migration ${name} failed: ${cause.message}`, { cause });
  }
}
