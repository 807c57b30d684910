/** Statements on `waybill.revoked_tokens`. */
import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";

/** Revocations of one tenant that have not expired. Calls at the same time may pass it by their number. */
export const maxRevocations = 10_000;

export interface Revocation {
  readonly tenantId: number;
  readonly jti: string;
  /** RFC 3339. Null where the revocation is to stay. */
  readonly expiresAt: string | null;
  readonly revokedBy: string;
}

export interface RevocationRow {
  readonly jti: string;
  readonly expires_at: string | null;
  readonly revoked_by: string;
  readonly revoked_at: string;
  /** False where the token was revoked before. */
  readonly is_new: boolean;
}

/**
 * The revocation, the earlier one where there is one: it is extended, never shortened. One that has expired is taken
 * as well, and goes with the next sweep: its token is refused anyway. Undefined where the tenant has too many.
 */
export async function insertRevocation(
  sql: Queryable,
  { tenantId, jti, expiresAt, revokedBy }: Revocation,
): Promise<RevocationRow | undefined> {
  const [row] = await sql<RevocationRow[]>`
    insert into waybill.revoked_tokens as r (tenant_id, jti, expires_at, revoked_by)
    select ${tenantId}, ${jti}, ${expiresAt}::timestamptz, ${revokedBy}
    where (
      select count(*) from waybill.revoked_tokens
      where tenant_id = ${tenantId} and jti <> ${jti} and coalesce(expires_at > now(), true)) < ${maxRevocations}
    on conflict (tenant_id, jti) do update set
      expires_at = case when r.expires_at is null or excluded.expires_at is null then null
                        else greatest(r.expires_at, excluded.expires_at) end,
      changed_at = excluded.changed_at
    returning jti, ${utc(sql, "expires_at")} as expires_at, revoked_by, ${utc(sql, "revoked_at")} as revoked_at,
      xmax = 0 as is_new`;
  return row;
}

export interface Changes {
  /** The database's time of asking. */
  readonly at: string;
  readonly tokens: readonly { readonly tenant_id: number; readonly jti: string }[];
}

/**
 * What was revoked since a moment that an earlier call answered; all of it where that is null. Looks back a minute
 * further, because a row becomes visible when its transaction ends, later than its time of change.
 */
export async function findChanges(sql: Sql, since: string | null): Promise<Changes> {
  const [row] = await sql<[Changes]>`
    select now()::text as at, coalesce((
      select json_agg(json_build_object('tenant_id', tenant_id, 'jti', jti)) from waybill.revoked_tokens
      where changed_at > coalesce(${since}::timestamptz - interval '1 minute', '-infinity')), '[]') as tokens`;
  return row;
}

export const purgeExpiredRevocations = (sql: Sql) =>
  sql`delete from waybill.revoked_tokens where expires_at < now()`;
