/** Statements on `waybill.tenant_secrets`. Only `findSealed` and `findAllSealed` return values, and they are sealed. */
import type { Secret } from "../../generated/schemas.ts";
import type { Queryable, Sql, Tx } from "../../infrastructure/database/connect.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";

const columns = (sql: Queryable) => sql`name, updated_by, ${utc(sql, "updated_at")} as updated_at`;

/** Sorted by name, byte by byte. */
export async function findSecrets(sql: Sql, tenantId: number): Promise<Secret[]> {
  const secrets = await sql<Secret[]>`
    select ${columns(sql)}
      from waybill.tenant_secrets
     where tenant_id = ${tenantId}
     order by name collate "C"`;
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
    select name, sealed
      from waybill.tenant_secrets
     where tenant_id = ${tenantId}
       and name in (select json_array_elements_text(${JSON.stringify(names)}::text::json))`;
  return [...rows];
}

export interface NewSecret extends SealedSecret {
  readonly tenantId: number;
  readonly updatedBy: string;
  /** How many secrets the tenant may have. */
  readonly most: number;
}

/**
 * Sets the secret, and replaces an earlier one of the same name. Returns undefined if the tenant already has as many
 * as it may. Call it under the tenant's lock.
 */
export async function upsertSecret(tx: Tx, secret: NewSecret): Promise<Secret | undefined> {
  const { tenantId, name, sealed, updatedBy, most } = secret;
  const [row] = await tx<Secret[]>`
    insert into waybill.tenant_secrets (tenant_id, name, sealed, updated_by)
    select ${tenantId}, ${name}, ${sealed}, ${updatedBy}
     where (
             select count(*)
               from waybill.tenant_secrets
              where tenant_id = ${tenantId}
                and name <> ${name}
           ) < ${most}
        on conflict (tenant_id, name) do update
       set sealed = excluded.sealed,
           updated_by = excluded.updated_by,
           updated_at = excluded.updated_at
    returning ${columns(tx)}`;
  return row;
}

/** Returns false if there was no such secret. */
export async function deleteSecret(tx: Tx, tenantId: number, name: string): Promise<boolean> {
  const { count } = await tx`
    delete from waybill.tenant_secrets
     where tenant_id = ${tenantId}
       and name = ${name}`;
  return count === 1;
}

export interface StoredSecret extends SealedSecret {
  readonly tenantId: number;
}

/** The next 500 secrets of all tenants after this one, by tenant and name. */
export async function findAllSealed(
  sql: Sql,
  { tenantId, name }: { readonly tenantId: number; readonly name: string },
): Promise<StoredSecret[]> {
  const rows = await sql<StoredSecret[]>`
    select tenant_id::float8 as "tenantId", name, sealed
      from waybill.tenant_secrets
     where (tenant_id, name) > (${tenantId}, ${name})
     order by tenant_id, name
     limit 500`;
  return [...rows];
}

/** Stores the secret sealed with another key, unless somebody has set it meanwhile. Keeps who set it and when. */
export async function replaceSealed(
  sql: Sql,
  { tenantId, name, sealed }: StoredSecret,
  resealed: Uint8Array,
): Promise<void> {
  await sql`
    update waybill.tenant_secrets
       set sealed = ${resealed}
     where tenant_id = ${tenantId}
       and name = ${name}
       and sealed = ${sealed}`;
}
