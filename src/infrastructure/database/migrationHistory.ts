/**
 * Which migrations a database has, and which code can work on it.
 *
 * A migration of a newer version does not stop an older version. It says from which migration on it is compatible, and
 * every version that has that migration may start and run. Versions up to 0.2.0 refuse any migration in
 * `waybill.schema_migrations` that is not one of their five, so later ones are recorded in `waybill.migrations`.
 */
import { ConfigError } from "../config.ts";
import type { Queryable, Tx } from "./connect.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sha256: string;
  readonly text: string;
  /** Code that has the migration with this number, or a later one, works on the database. Null for the first five. */
  readonly compatibleFrom: number | null;
}

export type Applied = Omit<Migration, "text">;

/** The last migration of version 0.2.0. */
const lastOfSchemaMigrations = 5;

/**
 * Reads the file's first line, such as `-- compatible from: 0005`: the oldest migration whose code can run on this one.
 * The migration's own number there means that every older version has to be stopped first.
 */
export function compatibility(version: number, name: string, text: string): number | null {
  if (version <= lastOfSchemaMigrations) return null;
  const from = Number(/^-- compatible from: (\d{4})\n/.exec(text)?.[1]);
  if (from >= 1 && from <= version) return from;
  throw new Error(`The migration ${name} begins with no line such as "-- compatible from: 0005"`);
}

export async function readApplied(sql: Queryable): Promise<Applied[]> {
  // A role that may not create schemas can start on a database that is up to date.
  const [there] = await sql`
    select to_regclass('waybill.schema_migrations') is not null
             and to_regclass('waybill.migrations') is not null as exist`;
  if (!there?.exist) await createHistory(sql);
  return sql<Applied[]>`
    select version, name, sha256, null as "compatibleFrom"
    from waybill.schema_migrations
    union all
    select version, name, sha256, compatible_from
    from waybill.migrations
    order by version`;
}

async function createHistory(sql: Queryable): Promise<void> {
  await sql`create schema if not exists waybill`;
  await sql`
    create table if not exists waybill.schema_migrations (
      version integer primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null default now()
    )`;
  await sql`
    create table if not exists waybill.migrations (
      version integer primary key,
      name text not null,
      sha256 text not null,
      compatible_from integer not null,
      applied_at timestamptz not null default now()
    )`;
}

export async function record(tx: Tx, { version, name, sha256, compatibleFrom }: Migration): Promise<void> {
  if (compatibleFrom === null)
    await tx`insert into waybill.schema_migrations ${tx({ version, name, sha256 })}`;
  else
    await tx`
      insert into waybill.migrations ${tx({ version, name, sha256, compatible_from: compatibleFrom })}`;
}

/** Throws a one-line ConfigError if an applied migration was changed, or if one needs newer code than this. */
export function requireSameHistory(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const own = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const { version, name, sha256, compatibleFrom } of applied) {
    const known = own.get(version);
    if (known && known.sha256 !== sha256)
      throw new ConfigError(
        `The migration ${known.name} was changed after the database had applied it: restore that file`,
      );
    if (!known && (compatibleFrom === null || compatibleFrom > migrations.length))
      throw new ConfigError(`The database is newer than this Waybill (it has ${name}): run a newer Waybill`);
  }
}
