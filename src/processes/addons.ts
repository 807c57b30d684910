/** Statements on `waybill.addons`, where service tasks find the URL of an addon by its key. */

import type { Addon } from "../generated/schemas.ts";
import { type JsonList, listAsJson } from "../infrastructure/database/boundedList.ts";
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";
import { utc } from "../infrastructure/database/timestamps.ts";

const columns = (sql: Queryable) => sql`
  key, url, updated_by, ${utc(sql, "updated_at")} as updated_at`;

export async function findAddon(
  sql: Queryable,
  tenantId: number,
  key: string,
): Promise<{ url: string } | undefined> {
  const [addon] = await sql<{ url: string }[]>`
    select url
    from waybill.addons
    where tenant_id = ${tenantId}
      and key = ${key}`;
  return addon;
}

/** The URLs of the tenant's addons with these keys. */
export async function findAddonUrls(
  sql: Queryable,
  tenantId: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ key: string; url: string }[]>`
    select key, url
    from waybill.addons
    where tenant_id = ${tenantId}
      and key in (select json_array_elements_text(${JSON.stringify(keys)}::text::json))`;
  return new Map(rows.map(({ key, url }) => [key, url]));
}

/** The addons of a tenant, ordered by key, character by character. */
export async function findAddons(sql: Sql, tenantId: number): Promise<JsonList<Addon>> {
  return listAsJson<Addon>(
    sql,
    sql`
    select ${columns(sql)}
    from waybill.addons
    where tenant_id = ${tenantId}
    order by key collate "C"`,
  );
}

export interface NewAddon {
  readonly tenantId: number;
  readonly key: string;
  readonly url: string;
  readonly updatedBy: string;
}

/** Inserts the addon, or replaces the one with the same key. */
export async function upsertAddon(
  sql: Queryable,
  { tenantId, key, url, updatedBy }: NewAddon,
): Promise<Addon> {
  const [addon] = await sql<Addon[]>`
    insert into waybill.addons (tenant_id, key, url, updated_by)
    values (${tenantId}, ${key}, ${url}, ${updatedBy})
    on conflict (tenant_id, key) do update
    set url = excluded.url,
        updated_by = excluded.updated_by,
        updated_at = excluded.updated_at
    returning ${columns(sql)}`;
  if (!addon) throw new Error("an upsert returns one row");
  return addon;
}

/** Returns false if the tenant has no addon with this key. */
export async function deleteAddon(sql: Queryable, tenantId: number, key: string): Promise<boolean> {
  const { count } = await sql`
    delete from waybill.addons
    where tenant_id = ${tenantId}
      and key = ${key}`;
  return count === 1;
}
