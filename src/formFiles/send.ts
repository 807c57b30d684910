/** A file goes out: headers first, since nothing may go wrong with them once a token is used; then the stream. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../deps.ts";
import { type OutgoingFile, writeAndHash } from "../file.ts";
import { Problem } from "../problem.ts";
import { type Attachment, objectKey } from "./attachment.ts";
import { dispositionOf } from "./fileName.ts";

/** Everything that a browser or a cache could do with somebody's identity card is forbidden here (design 8). */
export function fileHeaders(attachment: Attachment): Record<string, string> {
  return {
    "Content-Type": attachment.mimeType,
    "Content-Disposition": dispositionOf(attachment.fileName),
    "Repr-Digest": `sha-256=:${Buffer.from(attachment.sha256, "hex").toString("base64")}:`,
    "Accept-Ranges": "none",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox",
    "Referrer-Policy": "no-referrer",
  };
}

/**
 * The bytes, whole before the first of them is sent: an object that lies elsewhere comes to a temporary file first,
 * and its digest is compared. Throws `attachment_not_found` where the object is gone, `storage_unavailable` where it
 * cannot be had, `internal_error` where it is not what was stored.
 */
export async function openFile(deps: Deps, attachment: Attachment): Promise<OutgoingFile> {
  const object = await deps.storage.get(objectKey(attachment.tenantId, attachment.id));
  if (!object) {
    deps.log.error({ attachment_id: attachment.id }, "an attachment's object is gone from the storage");
    throw new Problem("attachment_not_found");
  }
  if (object.path === undefined) return fetchToDisk(object.body, attachment, deps.config.dataDir);
  await object.body.cancel();
  if (object.size === attachment.size) return Bun.file(object.path);
  throw damaged(attachment);
}

/** Longer than a response needs to open its file; what a crash leaves the sweep removes. */
const keptMs = 60_000;

async function fetchToDisk(
  body: ReadableStream<Uint8Array>,
  attachment: Attachment,
  dataDir: string,
): Promise<OutgoingFile> {
  const folder = join(dataDir, "uploads");
  await mkdir(folder, { recursive: true });
  const path = join(folder, crypto.randomUUID());
  const remove = () => rm(path, { force: true }).catch(() => {});
  try {
    const received = await writeAndHash(body, path);
    if (received.sha256 !== attachment.sha256) throw damaged(attachment);
  } catch (error) {
    await remove();
    throw error;
  }
  setTimeout(remove, keptMs).unref();
  return Bun.file(path);
}

const damaged = ({ id }: Attachment) =>
  new Problem("internal_error", { cause: new Error(`the object of ${id} is not what was stored`) });
