/**
 * Which statements a connection may keep prepared.
 *
 * Statements made from tenants' tables have as many shapes as there are tables and columns to filter by, and a
 * prepared one stays on every connection until that closes: postgres.js never forgets one. A prepared statement
 * saves a round trip and the planning, so shapes that come back are prepared, up to a bound; the rest are not.
 */
import { LRUCache } from "lru-cache";
import type postgres from "postgres";
import type { Queryable, Sql } from "./connect.ts";
import { connectionLifetimeSeconds } from "./pool.ts";

/** Shapes kept prepared at once. About 30 kB each on each connection of the server. */
const preparedShapes = 256;

interface Budget {
  readonly seen: LRUCache<string, number>;
  readonly prepared: Set<string>;
  renewAt: number;
}

const budgets = new WeakMap<Sql, Budget>();

/** Runs a statement whose text is made at run time, perhaps in a transaction of the pool. */
export function runShape<Row extends postgres.Row>(
  pool: Sql,
  text: string,
  parameters: readonly postgres.ParameterOrJSON<never>[],
  on: Queryable = pool,
): Promise<postgres.RowList<Row[]>> {
  return on.unsafe<Row[]>(text, [...parameters], { prepare: mayPrepare(budgetOf(pool), text) });
}

/** A shape's third use prepares it, where there is room. */
function mayPrepare(budget: Budget, text: string): boolean {
  if (Date.now() > budget.renewAt) renew(budget);
  if (budget.prepared.has(text)) return true;
  const uses = (budget.seen.get(text) ?? 0) + 1;
  budget.seen.set(text, uses);
  if (uses < 3 || budget.prepared.size >= preparedShapes) return false;
  budget.prepared.add(text);
  return true;
}

function renew(budget: Budget): void {
  budget.prepared.clear();
  budget.renewAt = Date.now() + connectionLifetimeSeconds * 1000;
}

function budgetOf(sql: Sql): Budget {
  const budget = budgets.get(sql) ?? {
    seen: new LRUCache<string, number>({ max: 2_000 }),
    prepared: new Set<string>(),
    renewAt: Date.now() + connectionLifetimeSeconds * 1000,
  };
  budgets.set(sql, budget);
  return budget;
}
