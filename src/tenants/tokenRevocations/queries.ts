/** Statements on `waybill.revoked_tokens`. */
import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";

/** Revocations of one tenant that have not expired. Simultaneous calls may exceed it by their number. */
export const maxRevocations = 10_000;

export interface Revocation {
  readonly tenantId: number;
  readonly jti: string;
  /** RFC 3339. Null if the revocation never expires. */
  readonly expiresAt: string | null;
  readonly revokedBy: string;
}

export interface RevocationRow {
  readonly jti: string;
  readonly expires_at: string | null;
  readonly revoked_by: string;
  readonly revoked_at: string;
  /** False if the token was already revoked. */
  readonly is_new: boolean;
}

/**
 * Stores the revocation, or extends the token's earlier one. Never shortens it. Also takes a revocation that has
 * already expired, which the next sweep deletes: its token is refused anyway. Returns undefined if the tenant has too
 * many revocations.
 */
export async function insertRevocation(
  sql: Queryable,
  { tenantId, jti, expiresAt, revokedBy }: Revocation,
): Promise<RevocationRow | undefined> {
  const [row] = await sql<RevocationRow[]>`
    insert into waybill.revoked_tokens as r (tenant_id, jti, expires_at, revoked_by)
    select ${tenantId}, ${jti}, ${expiresAt}::timestamptz, ${revokedBy}
     where (
             select count(*)
               from waybill.revoked_tokens
              where tenant_id = ${tenantId}
                and jti <> ${jti}
                and coalesce(expires_at > now(), true)
           ) < ${maxRevocations}
        on conflict (tenant_id, jti) do update
       set expires_at = case
             when r.expires_at is null or excluded.expires_at is null then null
             else greatest(r.expires_at, excluded.expires_at)
           end,
           changed_at = excluded.changed_at
    returning jti,
              ${utc(sql, "expires_at")} as expires_at,
              revoked_by,
              ${utc(sql, "revoked_at")} as revoked_at,
              xmax = 0 as is_new`;
  return row;
}

export interface Changes {
  /** The database's time of this query: the `since` of the next one. */
  readonly at: string;
  readonly tokens: readonly { readonly tenant_id: number; readonly jti: string }[];
}

/**
 * The tokens revoked since `since`, which an earlier call returned as `at`; all of them if it is null. Looks back one
 * minute further: a row becomes visible when its transaction ends, which is later than its `changed_at`.
 */
export async function findChanges(sql: Sql, since: string | null): Promise<Changes> {
  const [row] = await sql<[Changes]>`
    select now()::text as at,
           coalesce(json_agg(json_build_object('tenant_id', tenant_id, 'jti', jti)), '[]') as tokens
      from waybill.revoked_tokens
     where changed_at > coalesce(${since}::timestamptz - interval '1 minute', '-infinity')`;
  return row;
}

export const purgeExpiredRevocations = (sql: Sql) =>
  sql`delete from waybill.revoked_tokens where expires_at < now()`;
