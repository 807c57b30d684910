/** Statements on `waybill.discussion_messages`. The attachments of a message are rows of `waybill.stored_files`. */
import type { FileMetadata } from "../files/fileKind.ts";
import type { Message, MessageAttachment } from "../generated/schemas.ts";
import { type JsonList, listAsJson } from "../infrastructure/database/boundedList.ts";
import type { Sql, Tx } from "../infrastructure/database/connect.ts";
import { utc } from "../infrastructure/database/timestamps.ts";
import type { Discussion } from "./participants.ts";

export interface NewMessage {
  readonly id: string;
  readonly discussion: Discussion;
  readonly author: string;
  readonly text: string;
}

/** Returns the time at which the message was stored. */
export async function insertMessage(tx: Tx, { id, discussion, author, text }: NewMessage): Promise<string> {
  const [row] = await tx<{ created_at: string }[]>`
    insert into waybill.discussion_messages as m (id, tenant_id, process_instance_id, author, text)
    values (${id}, ${discussion.tenantId}, ${discussion.processInstanceId}, ${author}, ${text})
    returning ${utc(tx, "m.created_at")} as created_at`;
  if (!row) throw new Error("An insert returned no row.");
  return row.created_at;
}

/** An attachment as a new message answers it; `findMessages` answers the same. */
export const attachmentOf = ({ id, fileName, mimeType, size }: FileMetadata): MessageAttachment => ({
  attachment_id: id,
  file_name: fileName,
  mime_type: mimeType,
  size,
});

/** A page of messages, oldest first. Their attachments come in the order in which they were sent. */
export async function findMessages(
  sql: Sql,
  { tenantId, processInstanceId }: Discussion,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<JsonList<Message>> {
  return listAsJson<Message>(
    sql,
    sql`
      select
        m.id::text as message_id,
        m.author,
        m.text,
        ${utc(sql, "m.created_at")} as created_at,
        coalesce(f.attachments, '[]'::json) as attachments
      from waybill.discussion_messages m
      left join lateral (
        select json_agg(
          json_build_object(
            'attachment_id', id,
            'file_name', file_name,
            'mime_type', mime_type,
            'size', size
          )
          order by id
        ) as attachments
        from waybill.stored_files
        where message_id = m.id
      ) f on true
      where m.tenant_id = ${tenantId}
        and m.process_instance_id = ${processInstanceId}
      order by m.created_at, m.id
      limit ${limit}
      offset ${offset}`,
  );
}

/** Whether the message belongs to the discussion. */
export async function isMessageOf(
  sql: Sql,
  { tenantId, processInstanceId }: Discussion,
  messageId: string,
): Promise<boolean> {
  const rows = await sql`
    select
    from waybill.discussion_messages
    where id = ${messageId}
      and tenant_id = ${tenantId}
      and process_instance_id = ${processInstanceId}`;
  return rows.length > 0;
}
