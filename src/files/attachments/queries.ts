/**
 * Statements on attachments and their tokens. Each change of state is one guarded statement:
 * receiving → draft → committed (→ bound, where there was no instance yet), and receiving or draft → deleting → no row
 * (reference 3, design 8).
 */

import { uuids } from "../../infrastructure/database/arrays.ts";
import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";
import type { FileKind, FileMetadata, FileRef } from "../fileKind.ts";
import type { Actor, BindingUser } from "./actor.ts";
import type { Attachment, Timestamp } from "./attachment.ts";

export interface NewAttachment extends Omit<Attachment, "state"> {
  readonly processKey: string;
  readonly fieldName: string;
  readonly taskId: string | null;
  readonly formSessionId: string | null;
}

/** The row comes before the object, so that an object without a row cannot be left behind. */
export async function insertReceiving(sql: Queryable, file: NewAttachment): Promise<void> {
  await sql`
    insert into waybill.attachments (id, tenant_id, state, file_name, mime_type, size, sha256, process_key, field_name,
                                     process_instance_id, task_id, uploader, form_session_id)
    values (${file.id}, ${file.tenantId}, 'receiving', ${file.fileName}, ${file.mimeType}, ${file.size},
            decode(${file.sha256}, 'hex'), ${file.processKey}, ${file.fieldName}, ${file.processInstanceId},
            ${file.taskId}, ${file.uploader}, ${file.formSessionId})`;
}

/** The upload's moment; undefined where the sweep took the row for an abandoned one. */
export async function markDraft(sql: Sql, id: string): Promise<Timestamp | undefined> {
  const [row] = await sql<{ uploaded_at: Timestamp }[]>`
    update waybill.attachments set state = 'draft', state_since = now(), uploaded_at = now()
    where id = ${id} and state = 'receiving'
    returning ${utc(sql, "uploaded_at")} as uploaded_at`;
  return row?.uploaded_at;
}

export async function findAttachment(
  sql: Sql,
  tenantId: number | null,
  id: string,
): Promise<Attachment | undefined> {
  const [row] = await sql<Attachment[]>`
    select id::text, tenant_id::float8 as "tenantId", state, file_name as "fileName", mime_type as "mimeType",
           size::float8 as size, encode(sha256, 'hex') as sha256, process_instance_id as "processInstanceId", uploader
    from waybill.attachments
    where id = ${id} and (${tenantId}::bigint is null or tenant_id = ${tenantId}) and state in ('draft', 'committed')`;
  return row;
}

export async function findMetadata(
  sql: Queryable,
  tenantId: number,
  ids: readonly string[],
): Promise<FileMetadata[]> {
  const rows = await sql<FileMetadata[]>`
    select id::text, file_name as "fileName", mime_type as "mimeType", size::float8 as size
    from waybill.attachments where id = any(${uuids(sql, ids)}) and tenant_id = ${tenantId}`;
  return [...rows];
}

export interface Binding {
  readonly tenantId: number;
  readonly processInstanceId: string | null;
  readonly taskId: string | null;
  /** Absent for a caller that may bind any file of the tenant. */
  readonly actor?: BindingUser | undefined;
}

export interface BindingResult {
  readonly committed: boolean;
  /** Those that stand in the way. */
  readonly notCommitted: string[];
  readonly processInstanceId: string | null;
  readonly taskId: string | null;
}

/**
 * Commits all of the attachments, or none. Taken is a draft, and one that was committed before there was an instance,
 * by the first one that comes; one committed to the same instance and task already is fine. A file that the user may not
 * bind is like one that does not exist. Rows are locked in the order of their ids, so that two of these cannot deadlock.
 */
export async function commitAll(sql: Queryable, ids: readonly string[], to: Binding): Promise<BindingResult> {
  const { user = null, forOthers = true } = to.actor ?? {};
  const wanted = uuids(sql, ids);
  const [row] = await sql<(Omit<BindingResult, "notCommitted"> & { unfit: string[] | null })[]>`
    with wanted as (select distinct unnest(${wanted}) as id),
    locked as (
      select a.id, a.state, a.process_instance_id, a.task_id, a.uploader,
             coalesce(${to.processInstanceId}::text, a.process_instance_id) as new_instance,
             coalesce(${to.taskId}::text, a.task_id) as new_task
      from waybill.attachments a where a.id = any(${wanted}) and a.tenant_id = ${to.tenantId}
      order by a.id for update),
    judged as (
      select *, (state = 'draft' or (state = 'committed' and process_instance_id is null and new_instance is not null))
                and (${user}::text is null or uploader = ${user} or (${forOthers}::boolean and new_instance is not null
                  and not exists (
                    select from waybill.process_instances i
                    where i.tenant_id = ${to.tenantId} and i.started_by is distinct from ${user}
                      and i.id = case when new_instance ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                                      then new_instance::uuid end
                      and not exists (
                        select from waybill.discussion_participants p
                        where p.tenant_id = i.tenant_id and p.process_instance_id = i.id::text
                          and p.user_id = ${user})))) as free
      from locked),
    fit as (
      select * from judged where free or (state = 'committed'
        and process_instance_id is not distinct from new_instance and task_id is not distinct from new_task)),
    unfit as (select id from wanted except select id from fit),
    committed as (
      update waybill.attachments a
      set state = 'committed', process_instance_id = f.new_instance, task_id = f.new_task,
          state_since = case f.state when 'draft' then now() else a.state_since end
      from fit f where a.id = f.id and f.free and not exists (select from unfit))
    select not exists (select from unfit) as committed, (select array_agg(id::text) from unfit) as unfit,
           (select min(new_instance) from fit) as "processInstanceId", (select min(new_task) from fit) as "taskId"`;
  if (!row) throw new Error("a select without from answers one row");
  const { unfit, ...result } = row;
  return { ...result, notCommitted: unfit ?? [] };
}

/** Those that are committed to the process instance, whatever task they belong to. */
export async function boundAmong(
  sql: Queryable,
  ids: readonly string[],
  { tenantId, processInstanceId }: Pick<Binding, "tenantId" | "processInstanceId">,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id::text from waybill.attachments
    where id = any(${uuids(sql, ids)}) and tenant_id = ${tenantId} and state = 'committed'
      and process_instance_id = ${processInstanceId}`;
  return rows.map(({ id }) => id);
}

/** Takes a draft out of sight. What it was before tells why it was not taken; undefined where there is none. */
export async function markDeleting(
  sql: Sql,
  { tenantId, id, actor }: FileRef & { readonly actor: Actor },
): Promise<"draft" | "committed" | undefined> {
  const owner = "user" in actor ? sql`uploader = ${actor.user}` : sql`form_session_id = ${actor.session.id}`;
  const [row] = await sql<{ state: "draft" | "committed" }[]>`
    with owned as (
      select id, state from waybill.attachments
      where id = ${id} and tenant_id = ${tenantId} and ${owner} and state in ('draft', 'committed') for update),
    taken as (
      update waybill.attachments a set state = 'deleting', state_since = now()
      from owned o where a.id = o.id and o.state = 'draft')
    select state from owned`;
  return row?.state;
}

/** The row goes last, once its object is gone. */
export const deleteRow = (sql: Sql, id: string) =>
  sql`delete from waybill.attachments where id = ${id} and state in ('receiving', 'deleting')`;

export interface SessionUsage {
  readonly files: number;
  /** Bytes. */
  readonly size: number;
}

/** Makes the session's row if need be and locks it, so that its uploads are counted one after the other. */
export async function lockSession(
  sql: Queryable,
  session: { readonly id: string; readonly tenantId: number; readonly expiresAt: Date },
): Promise<SessionUsage> {
  await sql`
    insert into waybill.form_sessions (id, tenant_id, expires_at)
    values (${session.id}, ${session.tenantId}, ${session.expiresAt})
    on conflict (tenant_id, id) do update set expires_at = excluded.expires_at`;
  return sessionUsage(sql, session);
}

export async function sessionUsage(
  sql: Queryable,
  { id, tenantId }: { readonly id: string; readonly tenantId: number },
): Promise<SessionUsage> {
  const [usage] = await sql<SessionUsage[]>`
    select count(*)::int as files, coalesce(sum(size), 0)::float8 as size from waybill.attachments
    where form_session_id = ${id} and tenant_id = ${tenantId} and state <> 'deleting'`;
  return usage ?? { files: 0, size: 0 };
}

export interface SessionDraft extends FileMetadata {
  readonly fieldName: string;
  readonly uploadedAt: Timestamp;
}

/** Oldest first. */
export async function findSessionDrafts(
  sql: Sql,
  tenantId: number,
  session: string,
): Promise<SessionDraft[]> {
  const rows = await sql<SessionDraft[]>`
    select id::text, file_name as "fileName", mime_type as "mimeType", size::float8 as size,
           field_name as "fieldName", ${utc(sql, "uploaded_at")} as "uploadedAt"
    from waybill.attachments
    where form_session_id = ${session} and tenant_id = ${tenantId} and state = 'draft'
    order by waybill.attachments.uploaded_at, id`;
  return [...rows];
}

/** The moment in so many seconds, by the database's clock, in milliseconds as a token's signature covers it. */
export async function momentIn(sql: Queryable, seconds: number): Promise<Date> {
  const [row] = await sql<{ moment: Date }[]>`
    select date_trunc('milliseconds', now() + make_interval(secs => ${seconds})) as moment`;
  if (!row) throw new Error("a select without a table answers one row");
  return row.moment;
}

export interface NewToken {
  readonly attachmentId: string;
  /** SHA-256 of the token, hexadecimal. */
  readonly digest: string;
}

/** Stores all tokens, or none where an attachment is not committed to the instance; answers those in the way. */
export async function insertTokens(
  sql: Queryable,
  tokens: readonly NewToken[],
  issue: {
    readonly tenantId: number;
    readonly processInstanceId: string;
    readonly expiresAt: Date;
    readonly serviceTaskId: string | null;
  },
): Promise<string[]> {
  const ids = uuids(
    sql,
    tokens.map(({ attachmentId }) => attachmentId),
  );
  const [row] = await sql<{ unfit: string[] | null }[]>`
    with wanted as (
      select "attachmentId" as id, decode(digest, 'hex') as digest
      from json_to_recordset(${JSON.stringify(tokens)}::text::json) as t("attachmentId" uuid, digest text)),
    fit as (
      select a.id from waybill.attachments a where a.id = any(${ids}) and a.tenant_id = ${issue.tenantId}
        and a.state = 'committed' and a.process_instance_id = ${issue.processInstanceId}),
    unfit as (select id from wanted except select id from fit),
    issued as (
      insert into waybill.download_tokens
        (digest, attachment_id, tenant_id, process_instance_id, expires_at, service_task_id)
      select digest, id, ${issue.tenantId}, ${issue.processInstanceId}, ${issue.expiresAt}, ${issue.serviceTaskId}
      from wanted
      where not exists (select from unfit))
    select (select array_agg(id::text) from unfit) as unfit`;
  return row?.unfit ?? [];
}

/** What earlier attempts of a service task issued, and nobody has used, works no longer. */
export const revokeUnusedTokens = (sql: Queryable, serviceTaskId: string) => sql`
  update waybill.download_tokens set expires_at = now()
  where service_task_id = ${serviceTaskId} and used_at is null and expires_at > now()`;

/** Uses a token up, for ever and for everybody; undefined where it is not there, not for this file, used or expired. */
export async function useToken(
  sql: Sql,
  digest: string,
  attachmentId: string,
): Promise<{ tenantId: number; expiresAt: Date } | undefined> {
  const [row] = await sql<{ tenantId: number; expiresAt: Date }[]>`
    update waybill.download_tokens set used_at = now()
    where digest = decode(${digest}, 'hex') and attachment_id = ${attachmentId} and used_at is null and expires_at > now()
    returning tenant_id::float8 as "tenantId", expires_at as "expiresAt"`;
  return row;
}

export interface RemovalLimits {
  readonly draftHours: number;
  /** A removal that began this long ago has been given up. */
  readonly leaseSeconds: number;
  readonly count: number;
}

/** Claims up to `count` attachments whose time has come for this process alone: they are `deleting` from here on. */
export async function claimForRemoval(
  sql: Sql,
  { draftHours, leaseSeconds, count }: RemovalLimits,
): Promise<{ id: string; tenantId: number }[]> {
  return sql<{ id: string; tenantId: number }[]>`
    with due as (
      select id from waybill.attachments
      where (state = 'draft' and state_since < now() - make_interval(secs => ${draftHours * 3600}))
         or (state = 'receiving' and state_since < now() - interval '1 hour')
         or (state = 'deleting' and state_since < now() - make_interval(secs => ${leaseSeconds}))
      order by state_since limit ${count} for update skip locked)
    update waybill.attachments a set state = 'deleting', state_since = now() from due where a.id = due.id
    returning a.id::text, a.tenant_id::float8 as "tenantId"`;
}

/** As `claimForRemoval`, of files that were committed without an instance, and that none took for so many days. */
export async function claimUnbound(
  sql: Sql,
  { days, count }: { readonly days: number; readonly count: number },
): Promise<{ id: string; tenantId: number }[]> {
  return sql<{ id: string; tenantId: number }[]>`
    with due as (
      select id from waybill.attachments
      where state = 'committed' and process_instance_id is null
        and state_since < now() - make_interval(secs => ${days * 86_400})
      order by state_since limit ${count} for update skip locked)
    update waybill.attachments a set state = 'deleting', state_since = now() from due where a.id = due.id
    returning a.id::text, a.tenant_id::float8 as "tenantId"`;
}

export const attachments: FileKind = {
  folder: "attachments",
  rows: (sql) => sql`
    select tenant_id, id, state, state in ('draft', 'committed') as settled,
           case when state in ('draft', 'committed') then uploaded_at else state_since end as since
    from waybill.attachments`,
  deleteLost: async (sql, { id, state }) => {
    const { count } = await sql`
      delete from waybill.attachments where id = ${id} and state = ${state} and state <> 'committed'`;
    return count === 1;
  },
  deleteRows: (sql, ids) =>
    sql`delete from waybill.attachments where id = any(${uuids(sql, ids)}) and state = 'deleting'`,
};

/** Tokens and sessions that have been over for a day tell nothing any more. */
export async function purgeExpired(sql: Sql): Promise<void> {
  await sql`delete from waybill.download_tokens where expires_at < now() - interval '1 day'`;
  await sql`delete from waybill.form_sessions where expires_at < now() - interval '1 day'`;
}
