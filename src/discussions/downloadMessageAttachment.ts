import type { Sql } from "../database/connect.ts";
import type { Handler } from "../handler.ts";
import type { Discussion } from "../participants/queries.ts";
import { Problem } from "../problem.ts";
import { findAttachmentOf, type StoredFile } from "../storedFiles/queries.ts";
import { sendStoredFile } from "../storedFiles/send.ts";
import { isUuid } from "../uuid.ts";
import { discussionFor } from "./discussion.ts";
import { isMessageOf } from "./messages.ts";

export const downloadMessageAttachment: Handler<"downloadMessageAttachment"> = async (
  { params, caller },
  deps,
) => {
  const discussion = await discussionFor(deps.sql, caller, params.process_instance_id);
  const file = await find(deps.sql, discussion, { messageId: params.message_id, id: params.attachment_id });
  if (!file) throw new Problem("attachment_not_found");
  return sendStoredFile(deps, file, { gone: "attachment_not_found" });
};

/** Of a message of this discussion: whoever takes part in one cannot reach into another. */
async function find(
  sql: Sql,
  discussion: Discussion,
  { messageId, id }: { readonly messageId: string; readonly id: string },
): Promise<StoredFile | undefined> {
  if (!isUuid(messageId) || !isUuid(id)) return undefined;
  if (!(await isMessageOf(sql, discussion, messageId))) return undefined;
  return findAttachmentOf(sql, messageId, { tenantId: discussion.tenantId, id });
}
