/** Statements on `waybill.tenants`. */
import type { Sql, Tx } from "../infrastructure/database/connect.ts";
import { schemaOf } from "./tenant.ts";

interface TenantRow {
  readonly id: number;
  readonly slug: string;
}

/** The tenant that has this id or this slug. */
export async function findTenant(sql: Sql, id: number, slug: string): Promise<TenantRow | undefined> {
  const [row] = await sql<TenantRow[]>`
    select id::float8 as id, slug from waybill.tenants where id = ${id} or slug = ${slug} order by id = ${id} desc limit 1`;
  return row;
}

/**
 * Makes the tenant's row and schema in one transaction; whoever comes second waits and finds the first one's.
 * The schema may be there already: the platform keeps its own tables in it.
 */
export async function provisionTenant(sql: Sql, id: number, slug: string): Promise<TenantRow | undefined> {
  await sql.begin(async (tx) => {
    const made =
      await tx`insert into waybill.tenants (id, slug) values (${id}, ${slug}) on conflict do nothing`;
    if (made.count === 1) await tx`create schema if not exists ${tx(schemaOf(id))}`;
  });
  return findTenant(sql, id, slug);
}

/** A tenant's tables and processes are defined one after the other. Held until the transaction ends. */
export const lockTenant = (tx: Tx, tenantId: number) =>
  tx`select pg_advisory_xact_lock(hashtextextended('waybill.tenant_tables', ${tenantId}))`;
