/**
 * Creates a tenant when a valid access token first names it. The process remembers every tenant that it has seen,
 * because a tenant's row never changes and is never removed.
 */
import { LRUCache } from "lru-cache";
import type { CacheDescription, Caches } from "../infrastructure/caches.ts";
import type { Sql } from "../infrastructure/database/connect.ts";
import { findTenant, provisionTenant } from "./queries.ts";
import { schemaOf, type Tenant } from "./tenant.ts";

const provisioned: CacheDescription<LRUCache<string, Tenant>> = {
  create: () => new LRUCache({ max: 10_000 }),
};

/** The tenant, created on first use. Undefined if the id or the slug belongs to another tenant. */
export async function resolveTenant(
  { sql, caches }: { readonly sql: Sql; readonly caches: Caches },
  id: number,
  slug: string,
): Promise<Tenant | undefined> {
  const known = caches.of(provisioned);
  const key = `${id} ${slug}`;
  const tenant = known.get(key) ?? (await loadTenant(sql, id, slug));
  if (tenant) known.set(key, tenant);
  return tenant;
}

async function loadTenant(sql: Sql, id: number, slug: string): Promise<Tenant | undefined> {
  const found = (await findTenant(sql, id, slug)) ?? (await provisionTenant(sql, id, slug));
  return found?.id === id && found.slug === slug ? { id, slug, schema: schemaOf(id) } : undefined;
}
