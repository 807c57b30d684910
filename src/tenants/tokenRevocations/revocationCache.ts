/**
 * Which tokens are revoked, as this process knows it: asked of the database every few seconds and not at each request.
 *
 * A process refuses what it has revoked itself at once, and what others revoke within `staleMs`: knowledge that is
 * older is never used. So where the database is away for longer, requests with a token fail with its 503.
 */
import type { Sql } from "../../infrastructure/database/connect.ts";
import { findChanges } from "./queries.ts";

/** After this time a request has what is new fetched behind its back. */
const refreshMs = 2_000;
/** After this time a request waits for it. docs/operations.md and the contract name it. */
const staleMs = 5_000;
/** All of it is fetched again, so that memory holds no expired ones for good. */
const reloadMs = 3_600_000;

interface Known {
  tokens: Set<string>;
  /** The database's time of the last look; null before the first. */
  since: string | null;
  /** `performance.now()` before the last look, and before the last that fetched everything. */
  checkedAt: number;
  loadedAt: number;
  refreshing: Promise<void> | undefined;
}

const knownBy = new WeakMap<Sql, Known>();

/** Whether the tenant has revoked the token that has this `jti`. A token without one cannot be revoked. */
export async function isRevoked(sql: Sql, tenantId: number, jti: string | undefined): Promise<boolean> {
  if (jti === undefined) return false;
  const known = knownOf(sql);
  const age = performance.now() - known.checkedAt;
  if (age > refreshMs) {
    const refreshed = refreshOnce(sql, known);
    if (age > staleMs) await refreshed;
    // The next request that finds nothing newer waits for another try, and meets its error.
    else refreshed.catch(() => {});
  }
  return known.tokens.has(keyOf(tenantId, jti));
}

/** After the revocation is committed. */
export function rememberRevocation(sql: Sql, tenantId: number, jti: string): void {
  knownOf(sql).tokens.add(keyOf(tenantId, jti));
}

function knownOf(sql: Sql): Known {
  const never = Number.NEGATIVE_INFINITY;
  const fresh = { tokens: new Set<string>(), since: null, checkedAt: never, loadedAt: never };
  const known = knownBy.get(sql) ?? { ...fresh, refreshing: undefined };
  knownBy.set(sql, known);
  return known;
}

function refreshOnce(sql: Sql, known: Known): Promise<void> {
  known.refreshing ??= refresh(sql, known).finally(() => {
    known.refreshing = undefined;
  });
  return known.refreshing;
}

async function refresh(sql: Sql, known: Known): Promise<void> {
  const startedAt = performance.now();
  const whole = startedAt - known.loadedAt > reloadMs;
  const { at, tokens } = await findChanges(sql, whole ? null : known.since);
  const found = tokens.map(({ tenant_id, jti }) => keyOf(tenant_id, jti));
  if (whole) {
    known.tokens = new Set(found);
    known.loadedAt = startedAt;
  } else for (const key of found) known.tokens.add(key);
  known.since = at;
  known.checkedAt = startedAt;
}

const keyOf = (tenantId: number, jti: string) => `${tenantId} ${jti}`;
