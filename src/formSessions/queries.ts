/** Statements on `waybill.embeds`. */
import type { Sql } from "../database/connect.ts";

export interface Embed {
  readonly tenant: { readonly id: number; readonly slug: string };
  readonly processKey: string;
}

export async function insertEmbed(
  sql: Sql,
  embed: { id: string; tenantId: number; processKey: string; createdBy: string },
): Promise<void> {
  await sql`
    insert into waybill.embeds (id, tenant_id, process_key, created_by)
    values (${embed.id}, ${embed.tenantId}, ${embed.processKey}, ${embed.createdBy})`;
}

export async function findEmbed(sql: Sql, id: string): Promise<Embed | undefined> {
  const [row] = await sql<{ tenantId: number; slug: string; processKey: string }[]>`
    select t.id::float8 as "tenantId", t.slug, e.process_key as "processKey"
    from waybill.embeds e join waybill.tenants t on t.id = e.tenant_id where e.id = ${id}`;
  return row && { tenant: { id: row.tenantId, slug: row.slug }, processKey: row.processKey };
}
