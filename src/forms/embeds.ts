/** Embeds: the addresses at which visitors find a start form. Statements on `waybill.embeds`. */
import type { Embeds } from "../generated/schemas.ts";
import type { Config } from "../infrastructure/config.ts";
import { type JsonList, listAsJson } from "../infrastructure/database/boundedList.ts";
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";
import { utc } from "../infrastructure/database/timestamps.ts";

export interface Embed {
  readonly embedId: string;
  readonly tenant: { readonly id: number; readonly slug: string };
  readonly processKey: string;
}

/** The address of an embed's page. It is relative to the gateway if no public address is configured. */
export const embedUrl = ({ publicBaseUrl = "" }: Config, id: string) => `${publicBaseUrl}/embed/${id}`;

export async function insertEmbed(
  sql: Queryable,
  embed: {
    readonly id: string;
    readonly tenantId: number;
    readonly processKey: string;
    readonly createdBy: string;
    readonly allowedOrigins: readonly string[];
  },
): Promise<void> {
  await sql`
    insert into waybill.embeds (id, tenant_id, process_key, created_by, allowed_origins)
    select
      ${embed.id},
      ${embed.tenantId},
      ${embed.processKey},
      ${embed.createdBy},
      array(select json_array_elements_text(${JSON.stringify(embed.allowedOrigins)}::text::json))`;
}

export async function findEmbed(sql: Sql, id: string): Promise<Embed | undefined> {
  const [row] = await sql<{ tenantId: number; slug: string; processKey: string }[]>`
    select t.id::float8 as "tenantId", t.slug, e.process_key as "processKey"
    from waybill.embeds e
    join waybill.tenants t on t.id = e.tenant_id
    where e.id = ${id}`;
  return row && { embedId: id, tenant: { id: row.tenantId, slug: row.slug }, processKey: row.processKey };
}

export async function isEmbed(sql: Sql, tenantId: number, id: string): Promise<boolean> {
  const rows = await sql`select 1 from waybill.embeds where id = ${id} and tenant_id = ${tenantId}`;
  return rows.length === 1;
}

/** The origins that may show the embed's page in a frame. Undefined if the embed does not exist. */
export async function findAllowedOrigins(sql: Sql, id: string): Promise<readonly string[] | undefined> {
  const [row] = await sql<{ origins: string[] }[]>`
    select allowed_origins as origins from waybill.embeds where id = ${id}`;
  return row?.origins;
}

/** A page of the tenant's embeds, newest first, of all processes or of one. `url` is `address`, then the embed's id. */
export async function findEmbeds(
  sql: Sql,
  wanted: {
    readonly tenantId: number;
    readonly processKey: string | null;
    readonly address: string;
  },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<JsonList<Embeds[number]>> {
  const { tenantId, processKey, address } = wanted;
  return listAsJson<Embeds[number]>(
    sql,
    sql`
      select
        id as embed_id,
        ${address}::text || id as url,
        process_key,
        allowed_origins,
        created_by,
        ${utc(sql, "created_at")} as created_at
      from waybill.embeds e
      where tenant_id = ${tenantId}
        and (${processKey}::text is null or process_key = ${processKey})
      order by e.created_at desc, id
      limit ${limit}
      offset ${offset}`,
  );
}

/** Returns false if the tenant has no such embed. */
export async function deleteEmbed(sql: Queryable, tenantId: number, id: string): Promise<boolean> {
  const { count } = await sql`delete from waybill.embeds where id = ${id} and tenant_id = ${tenantId}`;
  return count === 1;
}
