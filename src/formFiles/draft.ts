/** An upload becomes a draft, or leaves nothing behind (design 8). */

import type { Deps } from "../deps.ts";
import type { ReceivedFile } from "../file.ts";
import { keyOf } from "../files/fileKind.ts";
import { type JudgedFile, judgeFile } from "../files/judge.ts";
import type { AttachmentMetadata } from "../generated/schemas.ts";
import { Problem } from "../problem.ts";
import { metadataOf } from "./attachment.ts";
import {
  attachments,
  deleteRow,
  insertReceiving,
  lockSession,
  markDraft,
  type NewAttachment,
  type SessionUsage,
} from "./queries.ts";

export interface Origin {
  readonly tenantId: number;
  readonly processKey: string;
  readonly fieldName: string;
  readonly processInstanceId: string | null;
  readonly taskId: string | null;
  readonly by: { readonly user: string } | { readonly session: UploadSession };
}

export interface UploadSession {
  readonly id: string;
  readonly tenantId: number;
  readonly expiresAt: Date;
}

/** Files in a form session (reference 8); their total size is at most twice the largest file. */
export const maxSessionFiles = 10;

/**
 * Judges the file, then stores it: a row that says `receiving`, the object, and only then the draft. A crash in
 * between leaves a row for the sweep, never an object that nobody knows of. Throws what the contract lists for uploads.
 */
export async function storeDraft(
  file: ReceivedFile,
  origin: Origin,
  deps: Deps,
): Promise<AttachmentMetadata> {
  const judged = await judgeFile(file, deps, origin);
  const id = Bun.randomUUIDv7();
  const attachment = attachmentOf(judged, { id, origin });
  await insert(attachment, origin, deps);
  try {
    const { path, size, sha256, mimeType: contentType } = judged;
    await deps.storage.put(keyOf(attachments, { tenantId: origin.tenantId, id }), {
      path,
      size,
      sha256,
      contentType,
    });
  } catch (error) {
    await abandon(attachment, deps);
    throw error;
  }
  const uploadedAt = await markDraft(deps.sql, id);
  if (uploadedAt === undefined) {
    // The sweep took the row for an abandoned one, perhaps before the object was there.
    await abandon(attachment, deps);
    throw new Problem("request_timeout", { message: "Storing the file took too long." });
  }
  return metadataOf(attachment, uploadedAt);
}

function attachmentOf(file: JudgedFile, { id, origin }: { id: string; origin: Origin }): NewAttachment {
  const { by, ...where } = origin;
  return {
    ...where,
    id,
    mimeType: file.mimeType,
    fileName: file.fileName,
    size: file.size,
    sha256: file.sha256,
    uploader: "user" in by ? by.user : null,
    formSessionId: "session" in by ? by.session.id : null,
  };
}

async function insert(attachment: NewAttachment, { by }: Origin, { sql, config }: Deps): Promise<void> {
  if ("user" in by) return insertReceiving(sql, attachment);
  await sql.begin(async (tx) => {
    const usage = await lockSession(tx, by.session);
    checkQuota(usage, attachment.size, 2 * config.uploadMaxBytes);
    await insertReceiving(tx, attachment);
  });
}

function checkQuota({ files, size }: SessionUsage, added: number, maxBytes: number): void {
  if (files >= maxSessionFiles)
    throw new Problem("session_quota_exceeded", {
      message: `A form session takes at most ${maxSessionFiles} files. Remove one first.`,
    });
  if (size + added > maxBytes)
    throw new Problem("session_quota_exceeded", {
      message: `The files of a form session have at most ${maxBytes} bytes in all; ${Math.max(0, maxBytes - size)} are left.`,
    });
}

/** The object may or may not have arrived. What cannot be cleaned up now the sweep does later. */
async function abandon({ id, tenantId }: NewAttachment, { sql, storage, log }: Deps): Promise<void> {
  try {
    await storage.remove(keyOf(attachments, { tenantId, id }));
    await deleteRow(sql, id);
  } catch (err) {
    log.warn({ attachment_id: id, err }, "an upload that failed is left to the sweep");
  }
}
