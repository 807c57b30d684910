/** An upload becomes a draft, or leaves nothing behind (design 8). */

import type { AttachmentMetadata, ReceivedFile } from "../../generated/schemas.ts";
import type { Config } from "../../infrastructure/config.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { objectKey } from "../fileKind.ts";
import { hasHung, noteAbandoned } from "../abandonedObjects.ts";
import { inspectUpload, type VerifiedFile } from "../inspectUpload.ts";
import { chargeDay, insertWithin, requireTenantRoom } from "../quotas.ts";
import type { Actor } from "./actor.ts";
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
  /** Where the session began; a platform's own sessions have none. */
  readonly embedId: string | undefined;
  /** The visitor's network address, as limits count by it. */
  readonly address: string;
}

/** Files in a form session (reference 8); their total size is at most twice the largest file. */
export const maxSessionFiles = 10;

/**
 * Judges the file, then stores it: a row that says `receiving`, the object, and only then the draft. A crash in
 * between leaves a row for the sweep, never an object that nobody knows of. Throws what the contract lists for uploads.
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
    // The sweep took the row for an abandoned one, perhaps before the object was there.
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
  const room = { tenantId, bytes, quota: config.tenantStorageQuota };
  if ("user" in actor) return insertWithin(sql, room, (on) => insertReceiving(on, attachment));
  await sql.begin(async (tx) => {
    const usage = await lockSession(tx, actor.session);
    checkQuota(usage, bytes, 2 * config.uploadMaxBytes);
    await chargeDay(tx, { attachmentId, bytes, limits: dailyLimits(actor.session, config) });
    await requireTenantRoom(tx, room);
    await insertReceiving(tx, attachment);
  });
}

function dailyLimits({ address, embedId }: UploadSession, { publicUploadDailyQuota }: Config) {
  const { perAddress, perEmbed } = publicUploadDailyQuota;
  const limits = [{ scope: `address:${address}`, bytes: perAddress }];
  return embedId === undefined ? limits : [...limits, { scope: `embed:${embedId}`, bytes: perEmbed }];
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

/**
 * The object may or may not have arrived, and may arrive yet. What cannot be cleaned up now the sweep does later. A
 * storage that hung is not asked again: the client has waited for it long enough.
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
    log.warn({ attachment_id: id, err }, "an upload that failed is left to the sweep");
  }
}
