/** Statements on `waybill.form_sessions` and on the files of a form session. */

import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";
import type { FileMetadata } from "../fileKind.ts";
import type { Timestamp } from "./attachment.ts";

export interface SessionUsage {
  readonly files: number;
  /** Bytes. */
  readonly size: number;
}

/** Inserts the session's row if it is missing, and locks it, so that uploads of a session are counted one by one. */
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

/** How many files a session has, and their size. */
export async function sessionUsage(
  sql: Queryable,
  { id, tenantId }: { readonly id: string; readonly tenantId: number },
): Promise<SessionUsage> {
  const [usage] = await sql<SessionUsage[]>`
    select count(*)::int as files, coalesce(sum(size), 0)::float8 as size
    from waybill.attachments
    where form_session_id = ${id}
      and tenant_id = ${tenantId}
      and state <> 'deleting'`;
  return usage ?? { files: 0, size: 0 };
}

export interface SessionDraft extends FileMetadata {
  readonly fieldName: string;
  readonly uploadedAt: Timestamp;
}

/** The session's drafts, oldest first. */
export async function findSessionDrafts(
  sql: Sql,
  tenantId: number,
  session: string,
): Promise<SessionDraft[]> {
  const rows = await sql<SessionDraft[]>`
    select id::text, file_name as "fileName", mime_type as "mimeType", size::float8 as size,
           field_name as "fieldName", ${utc(sql, "uploaded_at")} as "uploadedAt"
    from waybill.attachments
    where form_session_id = ${session}
      and tenant_id = ${tenantId}
      and state = 'draft'
    order by waybill.attachments.uploaded_at, id`;
  return [...rows];
}

/** Deletes sessions a day after they expired. */
export async function purgeExpiredSessions(sql: Sql): Promise<void> {
  await sql`delete from waybill.form_sessions where expires_at < now() - interval '1 day'`;
}
