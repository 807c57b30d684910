/**
 * Statements on `waybill.attachments`. Each change of state is one guarded statement (docs/decisions/requirements.md,
 * Attachment states): receiving → draft → committed, and receiving or draft → deleting → no row. An attachment that was
 * committed without an instance is bound to the first one that takes it.
 */

import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import { idList } from "../../infrastructure/database/idList.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";
import type { FileKind, FileMetadata, FileRef } from "../fileKind.ts";
import type { Actor } from "./actor.ts";
import type { Attachment, Timestamp } from "./attachment.ts";

export interface NewAttachment extends Omit<Attachment, "state"> {
  readonly processKey: string;
  readonly fieldName: string;
  readonly taskId: string | null;
  readonly formSessionId: string | null;
}

/** Inserts the row before its object is stored, so that no object can be left without a row. */
export async function insertReceiving(sql: Queryable, file: NewAttachment): Promise<void> {
  await sql`
    insert into waybill.attachments
      (id, tenant_id, state, file_name, mime_type, size, sha256, process_key, field_name, process_instance_id, task_id,
       uploader, form_session_id)
    values
      (${file.id}, ${file.tenantId}, 'receiving', ${file.fileName}, ${file.mimeType}, ${file.size},
       decode(${file.sha256}, 'hex'), ${file.processKey}, ${file.fieldName}, ${file.processInstanceId}, ${file.taskId},
       ${file.uploader}, ${file.formSessionId})`;
}

/** Returns the time of the upload, or undefined if the sweep has removed the row as abandoned. */
export async function markDraft(sql: Sql, id: string): Promise<Timestamp | undefined> {
  const [row] = await sql<{ uploaded_at: Timestamp }[]>`
    update waybill.attachments
    set state = 'draft', state_since = now(), uploaded_at = now()
    where id = ${id}
      and state = 'receiving'
    returning ${utc(sql, "uploaded_at")} as uploaded_at`;
  return row?.uploaded_at;
}

/** Finds a draft or a committed attachment; of any tenant if `tenantId` is null. */
export async function findAttachment(
  sql: Sql,
  tenantId: number | null,
  id: string,
): Promise<Attachment | undefined> {
  const [row] = await sql<Attachment[]>`
    select id::text, tenant_id::float8 as "tenantId", state, file_name as "fileName", mime_type as "mimeType",
           size::float8 as size, encode(sha256, 'hex') as sha256, process_instance_id as "processInstanceId", uploader
    from waybill.attachments
    where id = ${id}
      and (${tenantId}::bigint is null or tenant_id = ${tenantId})
      and state in ('draft', 'committed')`;
  return row;
}

/** The metadata of those of the attachments that the tenant has. */
export async function findMetadata(
  sql: Queryable,
  tenantId: number,
  ids: readonly string[],
): Promise<FileMetadata[]> {
  const [row] = await sql<{ files: FileMetadata[] }[]>`select ${metadataList(sql, tenantId, ids)} as files`;
  return row?.files ?? [];
}

/** The same as a JSON list, in a part of another statement. */
export const metadataList = (sql: Queryable, tenantId: number, ids: readonly string[]) => sql`(
  select coalesce(
    json_agg(json_build_object('id', id, 'fileName', file_name, 'mimeType', mime_type, 'size', size)),
    '[]'
  )
  from waybill.attachments
  where id = any(${idList(sql, ids)})
    and tenant_id = ${tenantId}
)`;

/** The instances to which these attachments are committed. */
export async function instancesOf(sql: Sql, tenantId: number, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct process_instance_id as id
    from waybill.attachments
    where id = any(${ids}::uuid[])
      and tenant_id = ${tenantId}
      and state = 'committed'
      and process_instance_id is not null`;
  return rows.map(({ id }) => id);
}

/** Hides a draft of this actor. Returns the state that it had: a committed one stays; undefined if there is none. */
export async function markDeleting(
  sql: Sql,
  { tenantId, id, actor }: FileRef & { readonly actor: Actor },
): Promise<"draft" | "committed" | undefined> {
  const isOwn = "user" in actor ? sql`uploader = ${actor.user}` : sql`form_session_id = ${actor.session.id}`;
  const [row] = await sql<{ state: "draft" | "committed" }[]>`
    with owned as (
      select id, state
      from waybill.attachments
      where id = ${id}
        and tenant_id = ${tenantId}
        and ${isOwn}
        and state in ('draft', 'committed')
      for update
    ),
    taken as (
      update waybill.attachments a
      set state = 'deleting', state_since = now()
      from owned o
      where a.id = o.id
        and o.state = 'draft'
    )
    select state from owned`;
  return row?.state;
}

/** Deletes the row. Call it after the object was removed. */
export const deleteRow = (sql: Sql, id: string) => sql`
  delete from waybill.attachments
  where id = ${id}
    and state in ('receiving', 'deleting')`;

export interface RemovalLimits {
  readonly draftHours: number;
  /** A removal that began this long ago has failed and can be claimed again. */
  readonly leaseSeconds: number;
  readonly count: number;
  /** Whether Waybill follows the variables of an engine of its own, such as Operaton. */
  readonly isFollowed: boolean;
}

/**
 * Such an engine may hold the file in a variable that Waybill has not read yet. The file is due only if every
 * variable that was stored before this moment has been read (`waybill.variable_readings`). So nothing that a process
 * holds is removed while the engine is away.
 */
const wasReadSince = (sql: Queryable, isFollowed: boolean, seconds: number) => sql`
  (not ${isFollowed} or exists (
    select
    from waybill.variable_readings r
    where r.tenant_id = attachments.tenant_id
      and r.complete_until >= attachments.state_since + make_interval(secs => ${seconds})
  ))`;

/** Sets up to `count` attachments that are due to `deleting`, so that only this process removes them. */
export async function claimForRemoval(
  sql: Sql,
  { draftHours, leaseSeconds, count, isFollowed }: RemovalLimits,
): Promise<FileRef[]> {
  const age = draftHours * 3600;
  return sql<FileRef[]>`
    with due as (
      select id
      from waybill.attachments
      where (state = 'draft'
             and state_since < now() - make_interval(secs => ${age})
             and ${wasReadSince(sql, isFollowed, age)})
         or (state = 'receiving' and state_since < now() - interval '1 hour')
         or (state = 'deleting' and state_since < now() - make_interval(secs => ${leaseSeconds}))
      order by state_since
      limit ${count}
      for update skip locked
    )
    update waybill.attachments a
    set state = 'deleting', state_since = now()
    from due
    where a.id = due.id
    returning a.id::text, a.tenant_id::float8 as "tenantId"`;
}

/** As `claimForRemoval`, for attachments committed without an instance that no instance took for so many days. */
export async function claimUnbound(
  sql: Sql,
  { days, count, isFollowed }: { readonly days: number } & Pick<RemovalLimits, "count" | "isFollowed">,
): Promise<FileRef[]> {
  const age = days * 86_400;
  return sql<FileRef[]>`
    with due as (
      select id
      from waybill.attachments
      where state = 'committed'
        and process_instance_id is null
        and state_since < now() - make_interval(secs => ${age})
        and ${wasReadSince(sql, isFollowed, age)}
      order by state_since
      limit ${count}
      for update skip locked
    )
    update waybill.attachments a
    set state = 'deleting', state_since = now()
    from due
    where a.id = due.id
    returning a.id::text, a.tenant_id::float8 as "tenantId"`;
}

export const attachments: FileKind = {
  folder: "attachments",
  rows: (sql) => sql`
    select tenant_id, id, state,
           state in ('draft', 'committed') as settled,
           case when state in ('draft', 'committed') then uploaded_at else state_since end as since
    from waybill.attachments`,
  deleteLost: async (sql, { id, state }) => {
    const { count } = await sql`
      delete from waybill.attachments
      where id = ${id}
        and state = ${state}
        and state <> 'committed'`;
    return count === 1;
  },
  deleteRows: (sql, ids) => sql`
    delete from waybill.attachments
    where id = any(${ids}::uuid[])
      and state = 'deleting'`,
};
