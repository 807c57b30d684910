/**
 * Remembers the definitions of tables. Every statement that is made from a definition also checks, in its own snapshot,
 * that the registry still has it (statement.ts). If not, the work is repeated with a fresh one. So a table that was
 * dropped or created again by another process is noticed immediately, without an extra round trip.
 */
import { LRUCache } from "lru-cache";
import type { CacheDescription } from "../infrastructure/caches.ts";
import type { Sql } from "../infrastructure/database/connect.ts";
import { databaseProblem } from "../infrastructure/database/databaseProblem.ts";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ColumnType } from "./columnTypes/columnType.ts";
import { columnTypes } from "./columnTypes/index.ts";
import { builtInColumns, type Definition, tableNotFound } from "./definition.ts";
import { findDefinition } from "./queries.ts";

/** The result of a statement whose definition is no longer in the registry. */
export const stale = Symbol("stale");

/** The most columns in the cache, which bounds its memory. A column takes about 100 bytes. */
const rememberedColumns = 200_000;
const definitions: CacheDescription<LRUCache<string, Definition>> = {
  create: () => new LRUCache({ maxSize: rememberedColumns }),
};

/**
 * Runs `use` with the table's definition, and again with a fresh one if the remembered one was stale.
 * Throws `table_not_found` if the registry does not have the table.
 */
export async function withDefinition<T>(
  { sql, caches }: Pick<Infrastructure, "sql" | "caches">,
  { tenant, table }: { readonly tenant: Tenant; readonly table: string },
  use: (definition: Definition) => Promise<T | typeof stale>,
): Promise<T> {
  const cache = caches.of(definitions);
  const key = `${tenant.id} ${table}`;
  const fresh = async () => {
    const definition = await load(sql, tenant, table);
    cache.set(key, definition, { size: 4 + definition.columns.length });
    return definition;
  };
  for (let definition = cache.get(key), attempt = 0; attempt < 3; attempt++) {
    definition ??= await fresh();
    const outcome = await settle(use, definition);
    if ("value" in outcome) return outcome.value;
    cache.delete(key);
    const next = await fresh();
    if (isSame(next, definition) && "error" in outcome) throw outcome.error;
    definition = next;
  }
  throw new Problem("busy", { message: `Table "${table}" is being changed. Try again.` });
}

const isSame = (a: Definition, b: Definition) => a.id === b.id && a.version === b.version;

type Outcome<T> = { readonly value: T } | { readonly error: unknown } | { readonly stale: true };

/** Returns an error that a stale definition may have caused. Throws those of an unavailable database. */
async function settle<T>(
  use: (definition: Definition) => Promise<T | typeof stale>,
  definition: Definition,
): Promise<Outcome<T>> {
  try {
    const value = await use(definition);
    return value === stale ? { stale: true } : { value };
  } catch (error) {
    if (databaseProblem(error)) throw error;
    return { error };
  }
}

async function load(sql: Sql, tenant: Tenant, table: string): Promise<Definition> {
  const row = await findDefinition(sql, tenant.schema, table);
  if (!row) throw tableNotFound(table);
  const own = row.columns.map(({ name, type }) => [name, columnTypes[type]] as const);
  return {
    ...row,
    // An index that is still being built does not keep its values unique.
    indexes: row.indexes.filter(({ state }) => state === "ready"),
    tenant,
    name: table,
    nullable: new Set(row.columns.filter(({ nullable }) => nullable).map(({ name }) => name)),
    types: new Map<string, ColumnType>([...Object.entries(builtInColumns), ...own]),
  };
}
