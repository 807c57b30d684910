/**
 * A definition is remembered, but never believed: every statement that is made from one also asks the registry, in
 * its own snapshot, whether that very definition still stands (queries.ts), and a refusal is repeated on a fresh
 * one. So a drop and re-create by another process is noticed at once, at the price of no extra round trip.
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

/** What a statement answers when the definition that it was made from no longer stands. */
export const stale = Symbol("stale");

/** Columns remembered in all: a bound on memory, about 100 bytes each. */
const rememberedColumns = 200_000;
const definitions: CacheDescription<LRUCache<string, Definition>> = {
  create: () => new LRUCache({ maxSize: rememberedColumns }),
};

/**
 * Runs `use` with the table's definition, again with a fresh one where the remembered one turned out stale.
 * Throws `table_not_found` where the registry does not list the table.
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
    if (next.id === definition.id && "error" in outcome) throw outcome.error;
    definition = next;
  }
  throw new Problem("busy", { message: `Table "${table}" is being changed. Try again.` });
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown } | { readonly stale: true };

/** A failure of the moment is thrown on; one that a wrong definition may have caused is handed back. */
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
  const row = await findDefinition(sql, tenant.id, table);
  if (!row) throw tableNotFound(table);
  const own = row.columns.map(({ name, type }) => [name, columnTypes[type]] as const);
  return {
    ...row,
    tenant,
    name: table,
    nullable: new Set(row.columns.filter(({ nullable }) => nullable).map(({ name }) => name)),
    types: new Map<string, ColumnType>([...Object.entries(builtInColumns), ...own]),
  };
}
