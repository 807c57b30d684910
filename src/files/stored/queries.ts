/**
 * Statements on `waybill.stored_files`: files that are not form attachments. States: receiving → stored, or
 * receiving → deleting → no row. A stored file stays.
 */
import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import type { FileKind, FileRecord, FileRef } from "../fileKind.ts";

export interface NewStoredFile extends FileRecord {
  readonly uploadedBy: string;
  /** Null for a general upload. */
  readonly messageId: string | null;
}

/** Inserts the rows before their objects are stored, so that no object can be left without a row. */
export async function insertReceiving(sql: Queryable, files: readonly NewStoredFile[]): Promise<void> {
  await sql`
    insert into waybill.stored_files
      (id, tenant_id, state, file_name, mime_type, size, sha256, uploaded_by, message_id)
    select id, "tenantId", 'receiving', "fileName", "mimeType", size, decode(sha256, 'hex'), "uploadedBy", "messageId"
    from json_to_recordset(${JSON.stringify(files)}::text::json) as t(
      id uuid, "tenantId" bigint, "fileName" text, "mimeType" text, size bigint, sha256 text, "uploadedBy" text,
      "messageId" uuid
    )`;
}

/** Returns how many of the files are now stored. Fewer than given: the sweep has removed the others as abandoned. */
export async function markStored(sql: Queryable, ids: readonly string[]): Promise<number> {
  const { count } = await sql`
    update waybill.stored_files
    set state = 'stored', state_since = now()
    where id = any(${ids}::uuid[])
      and state = 'receiving'`;
  return count;
}

/** Marks files whose upload has failed for removal. */
export const markDeleting = (sql: Sql, ids: readonly string[]) => sql`
  update waybill.stored_files
  set state = 'deleting', state_since = now()
  where id = any(${ids}::uuid[])
    and state = 'receiving'`;

/** The ids of those that are stored. */
export async function storedAmong(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id::text
    from waybill.stored_files
    where id = any(${ids}::uuid[])
      and state = 'stored'`;
  return rows.map(({ id }) => id);
}

const columns = (sql: Queryable) => sql`
  f.id::text, f.tenant_id::float8 as "tenantId", f.file_name as "fileName", f.mime_type as "mimeType",
  f.size::float8 as size, encode(f.sha256, 'hex') as sha256`;

/** Finds a general upload, but not an attachment of a message. */
export async function findUpload(sql: Sql, tenantId: number, id: string): Promise<FileRecord | undefined> {
  const [file] = await sql<FileRecord[]>`
    select ${columns(sql)}
    from waybill.stored_files f
    where f.id = ${id}
      and f.tenant_id = ${tenantId}
      and f.message_id is null
      and f.state = 'stored'`;
  return file;
}

/** Finds an attachment of this message. */
export async function findAttachmentOf(
  sql: Sql,
  messageId: string,
  { tenantId, id }: FileRef,
): Promise<FileRecord | undefined> {
  const [file] = await sql<FileRecord[]>`
    select ${columns(sql)}
    from waybill.stored_files f
    where f.id = ${id}
      and f.tenant_id = ${tenantId}
      and f.message_id = ${messageId}
      and f.state = 'stored'`;
  return file;
}

/** Sets up to `count` files that never became stored to `deleting`, so that only this process removes them. */
export async function claimForRemoval(
  sql: Sql,
  /** `leaseSeconds`: a removal that began this long ago has failed and can be claimed again. */
  { leaseSeconds, count }: { readonly leaseSeconds: number; readonly count: number },
): Promise<FileRef[]> {
  return sql<FileRef[]>`
    with due as (
      select id
      from waybill.stored_files
      where (state = 'receiving' and state_since < now() - interval '1 hour')
         or (state = 'deleting' and state_since < now() - make_interval(secs => ${leaseSeconds}))
      order by state_since
      limit ${count}
      for update skip locked
    )
    update waybill.stored_files f
    set state = 'deleting', state_since = now()
    from due
    where f.id = due.id
    returning f.id::text, f.tenant_id::float8 as "tenantId"`;
}

export const storedFiles: FileKind = {
  folder: "files",
  rows: (sql) => sql`
    select tenant_id, id, state, state = 'stored' as settled, state_since as since
    from waybill.stored_files`,
  deleteLost: async (sql, { id, state }) => {
    const { count } = await sql`
      delete from waybill.stored_files
      where id = ${id}
        and state = ${state}
        and state <> 'stored'`;
    return count === 1;
  },
  deleteRows: (sql, ids) => sql`
    delete from waybill.stored_files
    where id = any(${ids}::uuid[])
      and state = 'deleting'`,
};
