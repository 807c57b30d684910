/** Stores an upload as a draft. An upload that fails leaves nothing behind. */

import type { AttachmentMetadata, ReceivedFile } from "../../generated/schemas.ts";
import type { Config } from "../../infrastructure/config.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { hasHung, noteAbandoned } from "../abandonedObjects.ts";
import { objectKey } from "../fileKind.ts";
import { inspectUpload, type VerifiedFile } from "../inspectUpload.ts";
import { chargeDay, insertWithinQuota, requireTenantQuota } from "../quotas.ts";
import type { Actor } from "./actor.ts";
import { metadataOf } from "./attachment.ts";
import { attachments, deleteRow, insertReceiving, markDraft, type NewAttachment } from "./queries.ts";
import { lockSession, type SessionUsage } from "./sessionQueries.ts";

export interface NewDraft {
  readonly tenantId: number;
  readonly processKey: string;
  readonly fieldName: string;
  readonly processInstanceId: string | null;
  readonly taskId: string | null;
  readonly actor: Actor<UploadSession>;
}

export interface UploadSession {
  readonly id: string;
  readonly tenantId: number;
  readonly expiresAt: Date;
  /** The embed where the session began. Sessions that the platform begins have none. */
  readonly embedId: string | undefined;
  /** The visitor's network address, in the form that limits count. */
  readonly address: string;
}

/** Their total size is at most twice the largest file (docs/decisions/requirements.md, Limits). */
export const maxSessionFiles = 10;

/**
 * Inspects the file, inserts a row in state `receiving`, stores the object, and only then makes the row a draft. A
 * crash in between leaves a row for the sweep, never an object without a row. Throws what the contract lists for
 * uploads.
 */
export async function storeDraft(
  file: ReceivedFile,
  draft: NewDraft,
  deps: Infrastructure,
): Promise<AttachmentMetadata> {
  const verified = await inspectUpload(file, deps, draft);
  const id = Bun.randomUUIDv7();
  const attachment = attachmentOf(verified, { id, draft });
  await insert(attachment, draft, deps);
  const begun = performance.now();
  try {
    const { path, size, sha256, mimeType: contentType } = verified;
    await deps.storage.put(objectKey(attachments, { tenantId: draft.tenantId, id }), {
      path,
      size,
      sha256,
      contentType,
    });
  } catch (error) {
    await abandon(attachment, deps, { hasHung: hasHung(error, begun) });
    throw error;
  }
  const uploadedAt = await markDraft(deps.sql, id);
  if (uploadedAt === undefined) {
    // The sweep has removed the row, perhaps before the object was stored.
    await abandon(attachment, deps, { hasHung: false });
    throw new Problem("request_timeout", { message: "Storing the file took too long." });
  }
  return metadataOf(attachment, uploadedAt);
}

function attachmentOf(file: VerifiedFile, { id, draft }: { id: string; draft: NewDraft }): NewAttachment {
  const { actor, ...origin } = draft;
  return {
    ...origin,
    id,
    mimeType: file.mimeType,
    fileName: file.fileName,
    size: file.size,
    sha256: file.sha256,
    uploader: "user" in actor ? actor.user : null,
    formSessionId: "session" in actor ? actor.session.id : null,
  };
}

async function insert(
  attachment: NewAttachment,
  { actor }: NewDraft,
  { sql, config }: Infrastructure,
): Promise<void> {
  const { id: attachmentId, tenantId, size: bytes } = attachment;
  const upload = { tenantId, bytes, quota: config.tenantStorageQuota };
  if ("user" in actor) return insertWithinQuota(sql, upload, (on) => insertReceiving(on, attachment));
  await sql.begin(async (tx) => {
    const usage = await lockSession(tx, actor.session);
    checkSessionQuota(usage, bytes, 2 * config.uploadMaxBytes);
    await chargeDay(tx, { attachmentId, bytes, limits: dailyLimits(actor.session, config) });
    await requireTenantQuota(tx, upload);
    await insertReceiving(tx, attachment);
  });
}

function dailyLimits({ address, embedId }: UploadSession, { publicUploadDailyQuota }: Config) {
  const { perAddress, perEmbed } = publicUploadDailyQuota;
  const limits = [{ scope: `address:${address}`, bytes: perAddress }];
  return embedId === undefined ? limits : [...limits, { scope: `embed:${embedId}`, bytes: perEmbed }];
}

function checkSessionQuota({ files, size }: SessionUsage, added: number, maxBytes: number): void {
  if (files >= maxSessionFiles)
    throw new Problem("session_quota_exceeded", {
      message: `A form session may have ${maxSessionFiles} files. Remove one first.`,
    });
  const left = Math.max(0, maxBytes - size);
  if (size + added > maxBytes)
    throw new Problem("session_quota_exceeded", {
      message: `The files of a form session may have ${maxBytes} bytes in total. ${left} bytes are left.`,
    });
}

/**
 * Cleans up after a failed upload. The object may have been stored, or may be stored later. What cannot be removed now,
 * the sweep removes later. A storage that hung is not asked again, because the client has waited long enough.
 */
async function abandon(
  { id, tenantId }: NewAttachment,
  { sql, storage, log }: Infrastructure,
  { hasHung }: { readonly hasHung: boolean },
): Promise<void> {
  const key = objectKey(attachments, { tenantId, id });
  try {
    await noteAbandoned(sql, [key]);
    if (!hasHung) await storage.remove(key);
    await deleteRow(sql, id);
  } catch (err) {
    log.warn({ attachment_id: id, err }, "Failed upload not cleaned up; the sweep will do it");
  }
}
