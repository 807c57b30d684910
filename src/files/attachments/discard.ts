/** Deletes a draft for its uploader. */

import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { isUuid } from "../../infrastructure/uuid.ts";
import { type FileRef, objectKey } from "../fileKind.ts";
import type { Actor } from "./actor.ts";
import { attachments, deleteRow, markDeleting } from "./queries.ts";

/**
 * Throws `attachment_not_found` if the actor has no such attachment, and `attachment_committed` if it is part of a
 * process. The draft is gone for callers once its row says `deleting`; if the rest fails, the sweep finishes it.
 */
export async function discardDraft(
  { sql, storage, log }: Infrastructure,
  { tenantId, id, actor }: FileRef & { readonly actor: Actor },
): Promise<void> {
  const previous = isUuid(id) ? await markDeleting(sql, { tenantId, id, actor }) : undefined;
  if (previous === undefined) throw new Problem("attachment_not_found");
  if (previous === "committed")
    throw new Problem("attachment_committed", {
      message: "The attachment is committed to a process and stays.",
    });
  try {
    await storage.remove(objectKey(attachments, { tenantId, id }));
    await deleteRow(sql, id);
  } catch (err) {
    log.warn({ attachment_id: id, err }, "Deleted draft not removed yet; the sweep will remove it");
  }
}
