/** Statements on `waybill.tenants`. */
import type { Sql, Tx } from "../infrastructure/database/connect.ts";

interface TenantRow {
  readonly id: number;
  readonly slug: string;
}

/** The tenant that has this id, or else the one that has this slug. */
export async function findTenant(sql: Sql, id: number, slug: string): Promise<TenantRow | undefined> {
  const [row] = await sql<TenantRow[]>`
    select id::float8 as id, slug
      from waybill.tenants
     where id = ${id}
        or slug = ${slug}
     order by id = ${id} desc
     limit 1`;
  return row;
}

/**
 * Creates the tenant's row, its schema and its own records there (0018_tenant_records.sql) in one transaction. A
 * simultaneous second call waits and returns the same row. The schema may already exist, because the platform keeps its
 * own tables in it.
 */
export async function provisionTenant(sql: Sql, id: number, slug: string): Promise<TenantRow | undefined> {
  await sql.begin(async (tx) => {
    const { count } = await tx`
      insert into waybill.tenants (id, slug)
      values (${id}, ${slug})
          on conflict do nothing`;
    if (count === 1) await tx`select waybill.create_tenant_records(${id})`;
  });
  return findTenant(sql, id, slug);
}

/** Lets one transaction at a time change a tenant's definitions and limits. Held until the transaction ends. */
export const lockTenant = (tx: Tx, tenantId: number) =>
  tx`select pg_advisory_xact_lock(hashtextextended('waybill.tenant_tables', ${tenantId}))`;
