import { discussionFor } from "../../discussions/discussion.ts";
import { isMessageOf } from "../../discussions/messages.ts";
import type { Discussion } from "../../discussions/participants.ts";
import { download } from "../../files/download.ts";
import type { FileRecord } from "../../files/fileKind.ts";
import { findAttachmentOf, storedFiles } from "../../files/stored/queries.ts";
import type { Handler } from "../../handler.ts";
import type { Sql } from "../../infrastructure/database/connect.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { isUuid } from "../../infrastructure/uuid.ts";

export const downloadMessageAttachment: Handler<"downloadMessageAttachment"> = async (
  { params, caller },
  deps,
) => {
  const discussion = await discussionFor(deps.sql, caller, params.process_instance_id);
  const file = await find(deps.sql, discussion, { messageId: params.message_id, id: params.attachment_id });
  if (!file) throw new Problem("attachment_not_found");
  return download(deps, file, { kind: storedFiles, notFound: "attachment_not_found" });
};

/** Finds the file only in a message of this discussion, so participants cannot reach into another discussion. */
async function find(
  sql: Sql,
  discussion: Discussion,
  { messageId, id }: { readonly messageId: string; readonly id: string },
): Promise<FileRecord | undefined> {
  if (!isUuid(messageId) || !isUuid(id)) return undefined;
  if (!(await isMessageOf(sql, discussion, messageId))) return undefined;
  return findAttachmentOf(sql, messageId, { tenantId: discussion.tenantId, id });
}
