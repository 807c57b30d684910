/**
 * Quotas: how much a tenant stores in total, and how much visitors upload in a day, by address and by embed.
 *
 * Triggers keep the counters in the transaction that inserts or deletes a file's row (migration storage_quotas). An
 * upload holds the counter's lock until its row is inserted, so uploads at the same moment do not take the same space.
 */
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";
import { noRoom } from "../infrastructure/diskSpace.ts";
import { Problem } from "../infrastructure/problem.ts";

export interface TenantUpload {
  readonly tenantId: number;
  /** Size of the files that are about to be stored. */
  readonly bytes: number;
  /** Bytes that all files of the tenant may have; undefined for no limit. */
  readonly quota: number | undefined;
}

/** Runs `insert` if the tenant's quota allows it. Throws `insufficient_storage`. */
export async function insertWithinQuota(
  sql: Sql,
  upload: TenantUpload,
  insert: (on: Queryable) => Promise<void>,
): Promise<void> {
  if (upload.quota === undefined) return insert(sql);
  await sql.begin(async (tx) => {
    await requireTenantQuota(tx, upload);
    await insert(tx);
  });
}

/** Locks the tenant's counter until the transaction ends. Throws `insufficient_storage`. */
export async function requireTenantQuota(
  tx: Queryable,
  { tenantId, bytes, quota }: TenantUpload,
): Promise<void> {
  if (quota === undefined) return;
  const [row] = await tx<{ stored: number }[]>`
    insert into waybill.tenant_storage as s (tenant_id, bytes)
    values (${tenantId}, 0)
    on conflict (tenant_id) do update set bytes = s.bytes
    returning bytes::float8 as stored`;
  const left = Math.max(0, quota - (row?.stored ?? 0));
  if (bytes <= left) return;
  throw noRoom({
    message: `The files of this tenant may have ${quota} bytes in total. ${left} bytes are left.`,
  });
}

export interface DailyUpload {
  readonly attachmentId: string;
  readonly bytes: number;
  /** Each scope that the upload counts for, and the bytes a day that it allows. */
  readonly limits: readonly { readonly scope: string; readonly bytes: number }[];
}

/**
 * Counts an upload for the day (UTC). Throws `upload_quota_exceeded` if a scope is over its limit; the caller must then
 * roll the transaction back.
 */
export async function chargeDay(tx: Queryable, { attachmentId, bytes, limits }: DailyUpload): Promise<void> {
  if (limits.length === 0) return;
  const scopes = JSON.stringify(limits.map(({ scope }) => scope));
  const charged = await tx<{ scope: string; used: number; seconds: number }[]>`
    with charged as (
      insert into waybill.upload_days as d (day, scope, bytes)
      select (now() at time zone 'UTC')::date, scope, ${bytes}::bigint
      from json_array_elements_text(${scopes}::text::json) as scope
      order by scope
      on conflict (day, scope) do update set bytes = d.bytes + excluded.bytes
      returning d.day, d.scope, d.bytes
    ),
    noted as (
      insert into waybill.upload_charges (attachment_id, day, scopes)
      select ${attachmentId}, min(day), array_agg(scope)
      from charged
    )
    select scope,
           bytes::float8 as used,
           ceil(extract(epoch from (day + 1) - (now() at time zone 'UTC')))::float8 as seconds
    from charged`;
  for (const { scope, bytes: limit } of limits) {
    const found = charged.find((one) => one.scope === scope);
    if (found && found.used > limit) throw quotaExceeded(found.seconds);
  }
}

const quotaExceeded = (seconds: number) =>
  new Problem("upload_quota_exceeded", {
    message: "The daily upload limit of this form or network address is reached. Try again tomorrow.",
    headers: { "Retry-After": String(Math.max(1, seconds)) },
  });

/** Keeps yesterday's counters: an upload that began before midnight may still fail and be given back. */
export async function deleteOldDays(sql: Sql): Promise<void> {
  await sql`delete from waybill.upload_charges where day < (now() at time zone 'UTC')::date - 1`;
  await sql`delete from waybill.upload_days where day < (now() at time zone 'UTC')::date - 1`;
}
