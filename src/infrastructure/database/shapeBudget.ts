/**
 * Which statements the connections of a pool may keep prepared.
 *
 * Statements for tenants' tables have as many shapes as there are tables and columns to filter by. A prepared statement
 * stays on its connection until that closes, because postgres.js never forgets one. It saves a round trip and the
 * planning, so shapes that come back are prepared, up to a limit. The others are not.
 */
import { LRUCache } from "lru-cache";
import { connectionLifetimeSeconds } from "./pool.ts";

/**
 * Shapes kept prepared at once. Each takes about 30 kB on each connection of the server. Callers can make any number of
 * free shapes, such as those of `$filter`, so these have a share of their own and cannot take that of the others.
 */
const preparedShapes = { usual: 192, free: 64 };
/** Shapes whose uses are counted. */
const countedShapes = 2_000;

export interface ShapeBudget {
  /** Counts a use. True from the third use of a shape on, if there is room. */
  mayPrepare(text: string, kind?: "usual" | "free"): boolean;
}

export function createShapeBudget(): ShapeBudget {
  const budgets = { usual: budgetOf(preparedShapes.usual), free: budgetOf(preparedShapes.free) };
  return { mayPrepare: (text, kind = "usual") => budgets[kind](text) };
}

function budgetOf(most: number): (text: string) => boolean {
  const uses = new LRUCache<string, number>({ max: countedShapes });
  const prepared = new Set<string>();
  let renewAt = nextRenewal();
  return (text) => {
    if (Date.now() > renewAt) {
      prepared.clear();
      renewAt = nextRenewal();
    }
    if (prepared.has(text)) return true;
    const count = (uses.get(text) ?? 0) + 1;
    uses.set(text, count);
    if (count < 3 || prepared.size >= most) return false;
    prepared.add(text);
    return true;
  };
}

/** By then every connection of today has been replaced, and its prepared statements are gone. */
const nextRenewal = () => Date.now() + connectionLifetimeSeconds * 1000;
