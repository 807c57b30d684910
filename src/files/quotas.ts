/**
 * What may be stored: in all by a tenant, and in a day by visitors of one address and of one embed. The counters are
 * rows, which triggers keep with the files' rows (migration storage_quotas); whoever asks for room holds the counter's
 * lock until the file's row is there, so uploads at the same moment do not find the same room.
 */
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";
import { noRoom } from "../infrastructure/diskSpace.ts";
import { Problem } from "../infrastructure/problem.ts";

export interface TenantRoom {
  readonly tenantId: number;
  /** Of the files that are about to be stored. */
  readonly bytes: number;
  /** Bytes of all files of the tenant. Absent: no limit. */
  readonly quota: number | undefined;
}

/** Runs `insert` where the tenant has room. Throws `insufficient_storage`. */
export async function insertWithin(
  sql: Sql,
  room: TenantRoom,
  insert: (on: Queryable) => Promise<void>,
): Promise<void> {
  if (room.quota === undefined) return insert(sql);
  await sql.begin(async (tx) => {
    await requireTenantRoom(tx, room);
    await insert(tx);
  });
}

/** Locks the tenant's counter until the transaction ends. Throws `insufficient_storage`. */
export async function requireTenantRoom(
  tx: Queryable,
  { tenantId, bytes, quota }: TenantRoom,
): Promise<void> {
  if (quota === undefined) return;
  const [row] = await tx<{ stored: number }[]>`
    insert into waybill.tenant_storage as s (tenant_id, bytes) values (${tenantId}, 0)
    on conflict (tenant_id) do update set bytes = s.bytes
    returning bytes::float8 as stored`;
  const left = Math.max(0, quota - (row?.stored ?? 0));
  if (bytes <= left) return;
  throw noRoom({ message: `The files of this tenant have at most ${quota} bytes in all; ${left} are left.` });
}

export interface DailyUpload {
  readonly attachmentId: string;
  readonly bytes: number;
  /** What the upload counts for, and the bytes a day that it allows. */
  readonly limits: readonly { readonly scope: string; readonly bytes: number }[];
}

/** Counts an upload for the day (UTC). Throws `upload_quota_exceeded`; the transaction must then be rolled back. */
export async function chargeDay(tx: Queryable, { attachmentId, bytes, limits }: DailyUpload): Promise<void> {
  if (limits.length === 0) return;
  const charged = await tx<{ scope: string; used: number; seconds: number }[]>`
    with charged as (
      insert into waybill.upload_days as d (day, scope, bytes)
      select (now() at time zone 'UTC')::date, scope, ${bytes}::bigint
      from json_array_elements_text(${JSON.stringify(limits.map(({ scope }) => scope))}::text::json) as scope
      order by scope
      on conflict (day, scope) do update set bytes = d.bytes + excluded.bytes
      returning d.day, d.scope, d.bytes),
    noted as (
      insert into waybill.upload_charges (attachment_id, day, scopes)
      select ${attachmentId}, min(day), array_agg(scope) from charged)
    select scope, bytes::float8 as used,
           ceil(extract(epoch from (day + 1) - (now() at time zone 'UTC')))::float8 as seconds
    from charged`;
  for (const { scope, bytes: limit } of limits) {
    const found = charged.find((one) => one.scope === scope);
    if (found && found.used > limit) throw usedUp(found.seconds);
  }
}

const usedUp = (seconds: number) =>
  new Problem("upload_quota_exceeded", {
    message: "The uploads that this form, or this network address, may make in a day are used up.",
    headers: { "Retry-After": String(Math.max(1, seconds)) },
  });

/** Yesterday is kept: an upload that began before midnight may yet fail. */
export async function forgetOldDays(sql: Sql): Promise<void> {
  await sql`delete from waybill.upload_charges where day < (now() at time zone 'UTC')::date - 1`;
  await sql`delete from waybill.upload_days where day < (now() at time zone 'UTC')::date - 1`;
}
