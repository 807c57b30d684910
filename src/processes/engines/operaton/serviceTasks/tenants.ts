/** The tenants whose tasks are fetched: all that Waybill knows. */
import { schemaOf, type Tenant } from "../../../../tenants/tenant.ts";
import type { OperatonContext } from "../operatonContext.ts";

/** How long a new tenant may wait for its first task, in milliseconds. */
const refreshMs = 5_000;

const known = {
  create: () => ({ readAt: Number.NEGATIVE_INFINITY, tenants: new Map<string, Tenant>() }),
};

/** By their slugs. */
export async function listTenants({ sql, caches }: OperatonContext): Promise<ReadonlyMap<string, Tenant>> {
  const cache = caches.of(known);
  if (performance.now() - cache.readAt < refreshMs) return cache.tenants;
  const rows = await sql<{ slug: string; id: number }[]>`
    select slug, id::float8 as id
    from waybill.tenants`;
  cache.tenants = new Map(rows.map(({ slug, id }) => [slug, { id, slug, schema: schemaOf(id) }]));
  cache.readAt = performance.now();
  return cache.tenants;
}
