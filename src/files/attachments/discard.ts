/** A draft's uploader takes it back. */

import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { isUuid } from "../../infrastructure/uuid.ts";
import { type FileRef, objectKey } from "../fileKind.ts";
import type { Actor } from "./actor.ts";
import { attachments, deleteRow, markDeleting } from "./queries.ts";

/**
 * Throws `attachment_not_found` where the uploader has no such attachment, `attachment_committed` where a process
 * has taken it. Once it is out of sight the rest is housekeeping, which the sweep finishes if it must.
 */
export async function discardDraft(
  { sql, storage, log }: Infrastructure,
  { tenantId, id, actor }: FileRef & { readonly actor: Actor },
): Promise<void> {
  const was = isUuid(id) ? await markDeleting(sql, { tenantId, id, actor }) : undefined;
  if (was === undefined) throw new Problem("attachment_not_found");
  if (was === "committed")
    throw new Problem("attachment_committed", {
      message: "The attachment is committed to a process and stays.",
    });
  try {
    await storage.remove(objectKey(attachments, { tenantId, id }));
    await deleteRow(sql, id);
  } catch (err) {
    log.warn({ attachment_id: id, err }, "a discarded draft is left to the sweep");
  }
}
