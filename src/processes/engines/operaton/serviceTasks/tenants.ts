/** The tenants whose tasks are fetched: all that Waybill knows. */
import type { OperatonContext } from "../operatonContext.ts";

/** How long a new tenant may wait for its first task, in milliseconds. */
const refreshMs = 5_000;

const known = {
  create: () => ({ readAt: Number.NEGATIVE_INFINITY, slugs: new Map<string, number>() }),
};

/** The tenants' ids by their slugs. Those that were known are kept if the database is away. */
export async function listSlugs({ sql, caches }: OperatonContext): Promise<ReadonlyMap<string, number>> {
  const cache = caches.of(known);
  if (performance.now() - cache.readAt < refreshMs) return cache.slugs;
  const rows = await sql<{ slug: string; id: number }[]>`
    select slug, id::float8 as id
    from waybill.tenants`;
  cache.slugs = new Map(rows.map(({ slug, id }) => [slug, id]));
  cache.readAt = performance.now();
  return cache.slugs;
}
