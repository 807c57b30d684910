/** Statements on `waybill.tenant_secrets`. No statement gives a value to anyone but `readSecrets`. */

import type { Secret } from "../../generated/schemas.ts";
import type { Queryable, Sql, Tx } from "../../infrastructure/database/connect.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";

const columns = (sql: Queryable) => sql`name, updated_by, ${utc(sql, "updated_at")} as updated_at`;

/** By name, as a program compares them. */
export async function findSecrets(sql: Sql, tenantId: number): Promise<Secret[]> {
  const secrets = await sql<Secret[]>`
    select ${columns(sql)} from waybill.tenant_secrets where tenant_id = ${tenantId} order by name collate "C"`;
  return [...secrets];
}

export interface SealedSecret {
  readonly name: string;
  readonly sealed: Uint8Array;
}

export async function findSealed(
  sql: Queryable,
  tenantId: number,
  names: readonly string[],
): Promise<SealedSecret[]> {
  const rows = await sql<SealedSecret[]>`
    select name, sealed from waybill.tenant_secrets
    where tenant_id = ${tenantId} and name in (select json_array_elements_text(${JSON.stringify(names)}::text::json))`;
  return [...rows];
}

export interface NewSecret extends SealedSecret {
  readonly tenantId: number;
  readonly updatedBy: string;
  /** Secrets of the tenant together. */
  readonly most: number;
}

/** In place of what the name had. Undefined where the tenant has as many as it may. To be called under the tenant's lock. */
export async function upsertSecret(tx: Tx, secret: NewSecret): Promise<Secret | undefined> {
  const { tenantId, name, sealed, updatedBy, most } = secret;
  const [row] = await tx<Secret[]>`
    insert into waybill.tenant_secrets (tenant_id, name, sealed, updated_by)
    select ${tenantId}, ${name}, ${sealed}, ${updatedBy}
    where (select count(*) from waybill.tenant_secrets where tenant_id = ${tenantId} and name <> ${name}) < ${most}
    on conflict (tenant_id, name) do update
      set sealed = excluded.sealed, updated_by = excluded.updated_by, updated_at = excluded.updated_at
    returning ${columns(tx)}`;
  return row;
}

/** Whether there was one to delete. */
export async function deleteSecret(tx: Tx, tenantId: number, name: string): Promise<boolean> {
  const { count } = await tx`
    delete from waybill.tenant_secrets where tenant_id = ${tenantId} and name = ${name}`;
  return count === 1;
}

export interface StoredSecret extends SealedSecret {
  readonly tenantId: number;
}

/** The next ones behind this one, of all tenants. */
export async function findAllSealed(
  sql: Sql,
  { tenantId, name }: { readonly tenantId: number; readonly name: string },
): Promise<StoredSecret[]> {
  const rows = await sql<StoredSecret[]>`
    select tenant_id::float8 as "tenantId", name, sealed from waybill.tenant_secrets
    where (tenant_id, name) > (${tenantId}, ${name}) order by tenant_id, name limit 500`;
  return [...rows];
}

/** Sealed anew, unless somebody has set it in the meantime. Whose it is and since when stays. */
export async function replaceSealed(
  sql: Sql,
  { tenantId, name, sealed }: StoredSecret,
  resealed: Uint8Array,
): Promise<void> {
  await sql`
    update waybill.tenant_secrets set sealed = ${resealed}
    where tenant_id = ${tenantId} and name = ${name} and sealed = ${sealed}`;
}
