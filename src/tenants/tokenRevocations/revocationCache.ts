/**
 * The revoked tokens, in this process's memory. The process asks the database for changes every few seconds, and not at
 * each request.
 *
 * A process refuses a token that it has revoked itself immediately, and one that another process has revoked within
 * `staleMs`, because it never uses older knowledge. If the database is unavailable for longer, requests with a token
 * get 503. See docs/decisions/identity.md.
 */
import type { CacheDescription, Caches } from "../../infrastructure/caches.ts";
import type { Sql } from "../../infrastructure/database/connect.ts";
import { findChanges } from "./queries.ts";

/** After this time a request starts to fetch the changes, and does not wait for them. */
const refreshMs = 2_000;
/** After this time a request waits for the changes. docs/operations.md and the contract name this time. */
const staleMs = 5_000;
/** How often all revocations are fetched again, so that expired ones leave the memory. */
const reloadMs = 3_600_000;

interface Known {
  tokens: Set<string>;
  /** The database's time at the last fetch. Null before the first one. */
  since: string | null;
  /** `performance.now()` before the last fetch. */
  checkedAt: number;
  /** `performance.now()` before the last fetch of all revocations. */
  loadedAt: number;
  refreshing: Promise<void> | undefined;
}

const revocations: CacheDescription<Known> = {
  create: () => ({
    tokens: new Set(),
    since: null,
    checkedAt: Number.NEGATIVE_INFINITY,
    loadedAt: Number.NEGATIVE_INFINITY,
    refreshing: undefined,
  }),
};

/** Whether the tenant has revoked the token with this `jti`. A token without a `jti` cannot be revoked. */
export async function isRevoked(
  { sql, caches }: { readonly sql: Sql; readonly caches: Caches },
  tenantId: number,
  jti: string | undefined,
): Promise<boolean> {
  if (jti === undefined) return false;
  const known = caches.of(revocations);
  const age = performance.now() - known.checkedAt;
  if (age > refreshMs) {
    const refreshed = refreshOnce(sql, known);
    if (age > staleMs) await refreshed;
    // If this fails, a later request whose knowledge is too old tries again, and gets the error.
    else refreshed.catch(() => {});
  }
  return known.tokens.has(keyOf(tenantId, jti));
}

/** Call it after the revocation is committed. */
export function rememberRevocation(caches: Caches, tenantId: number, jti: string): void {
  caches.of(revocations).tokens.add(keyOf(tenantId, jti));
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
