/** A file goes out: headers first, since nothing may go wrong with them once a token is used; then the stream. */
import type { Deps } from "../deps.ts";
import type { FileStream } from "../file.ts";
import { Problem } from "../problem.ts";
import { type Attachment, objectKey } from "./attachment.ts";
import { dispositionOf } from "./fileName.ts";

/** Everything that a browser or a cache could do with somebody's identity card is forbidden here (design 8). */
export function fileHeaders(attachment: Attachment): Record<string, string> {
  return {
    "Content-Type": attachment.mimeType,
    "Content-Length": String(attachment.size),
    "Content-Disposition": dispositionOf(attachment.fileName),
    "Repr-Digest": `sha-256=:${Buffer.from(attachment.sha256, "hex").toString("base64")}:`,
    "Accept-Ranges": "none",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox",
    "Referrer-Policy": "no-referrer",
  };
}

/** The bytes. Throws `attachment_not_found` where the object is gone, `storage_unavailable` where it cannot be had. */
export async function openFile({ storage, log }: Deps, attachment: Attachment): Promise<FileStream> {
  const object = await storage.get(objectKey(attachment.tenantId, attachment.id));
  if (!object) {
    log.error({ attachment_id: attachment.id }, "an attachment's object is gone from the storage");
    throw new Problem("attachment_not_found");
  }
  if (object.size === attachment.size) return object.body;
  await object.body.cancel();
  throw new Problem("internal_error", {
    cause: new Error(`the object of ${attachment.id} has another size`),
  });
}
