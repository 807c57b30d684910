/** Statements on `waybill.embeds`, and what a session has started. */
import type { Sql } from "../database/connect.ts";

export interface Embed {
  readonly tenant: { readonly id: number; readonly slug: string };
  readonly processKey: string;
}

export async function insertEmbed(
  sql: Sql,
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
    select ${embed.id}, ${embed.tenantId}, ${embed.processKey}, ${embed.createdBy}, array(
      select json_array_elements_text(${JSON.stringify(embed.allowedOrigins)}::text::json))`;
}

export async function findEmbed(sql: Sql, id: string): Promise<Embed | undefined> {
  const [row] = await sql<{ tenantId: number; slug: string; processKey: string }[]>`
    select t.id::float8 as "tenantId", t.slug, e.process_key as "processKey"
    from waybill.embeds e join waybill.tenants t on t.id = e.tenant_id where e.id = ${id}`;
  return row && { tenant: { id: row.tenantId, slug: row.slug }, processKey: row.processKey };
}

/** The instance that a form session has started. */
export async function findStartedInstance(sql: Sql, tenantId: number, session: string) {
  const [row] = await sql<{ id: string }[]>`
    select id::text from waybill.process_instances where tenant_id = ${tenantId} and form_session_id = ${session}`;
  return row?.id;
}
