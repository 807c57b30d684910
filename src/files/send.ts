/** A file goes out: headers first, since nothing may go wrong with them once a token is used; then the stream. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull } from "../infrastructure/diskSpace.ts";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { writeAndHash } from "../infrastructure/localFile.ts";
import { makePrivateFolder } from "../infrastructure/privateFolder.ts";
import { Problem, type ProblemCode } from "../infrastructure/problem.ts";
import type { FileRecord } from "./fileKind.ts";
import { dispositionOf } from "./fileName.ts";

/** Everything that a browser or a cache could do with somebody's identity card is forbidden here (design 8). */
export function fileHeaders(
  file: Pick<FileRecord, "fileName" | "mimeType" | "sha256">,
): Record<string, string> {
  return {
    "Content-Type": file.mimeType,
    "Content-Disposition": dispositionOf(file.fileName),
    "Repr-Digest": `sha-256=:${Buffer.from(file.sha256, "hex").toString("base64")}:`,
    "Accept-Ranges": "none",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox",
    "Referrer-Policy": "no-referrer",
  };
}

export interface Where {
  /** The object's key. */
  readonly key: string;
  /** What is said where the object is gone. */
  readonly gone: ProblemCode;
  /** Ends the room that `holdRoom` gave. */
  readonly release: () => void;
}

/**
 * Room for the file's way out, where the object lies elsewhere. Ask for it before anything is used up that a second try
 * would need. Throws `busy`.
 */
export async function holdRoom(
  { storage, disk }: Infrastructure,
  { size, tenantId }: { readonly size: number; readonly tenantId: number },
): Promise<() => void> {
  return storage.isLocal ? () => {} : disk.holdCopy(size, String(tenantId));
}

/**
 * The bytes, whole before the first of them is sent: an object that lies elsewhere comes to a temporary file first,
 * and its digest is compared. Throws the problem that `gone` says where the object is gone, `storage_unavailable`
 * where it cannot be had, `internal_error` where it is not what was stored.
 */
export async function openFile(
  { storage, config, log }: Infrastructure,
  file: FileRecord,
  { key, gone, release }: Where,
): Promise<Blob> {
  try {
    const object = await storage.get(key);
    if (!object) {
      log.error({ file_id: file.id }, "a file's object is gone from the storage");
      throw new Problem(gone);
    }
    if (object.path === undefined)
      return await fetchToDisk(object.body, file, { dataDir: config.dataDir, release });
    await object.body.cancel();
    if (object.size !== file.size) throw damaged(file);
    release();
    return Bun.file(object.path);
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * A response opens its file as soon as it is returned, and what is open can be sent although it has no name any more. So
 * the copy is removed then, and its room is free when the last byte is sent. (Bun 1.4.5 still sends any other stream
 * without Content-Length.)
 */
const keptMs = 1_000;

async function fetchToDisk(
  body: ReadableStream<Uint8Array>,
  file: FileRecord,
  { dataDir, release }: { readonly dataDir: string; readonly release: () => void },
): Promise<Blob> {
  const folder = join(dataDir, "uploads");
  await makePrivateFolder(folder);
  const path = join(folder, crypto.randomUUID());
  const remove = () =>
    rm(path, { force: true })
      .catch(() => {})
      .finally(release);
  try {
    const received = await writeAndHash(body, path);
    if (received.sha256 !== file.sha256) throw damaged(file);
  } catch (error) {
    await remove();
    throw isDiskFull(error) ? noRoomToSend(error) : error;
  }
  setTimeout(remove, keptMs).unref();
  return Bun.file(path);
}

const noRoomToSend = (cause: unknown) =>
  new Problem("storage_unavailable", { message: "There is no room to fetch the file.", cause });

const damaged = ({ id }: FileRecord) =>
  new Problem("internal_error", { cause: new Error(`the object of ${id} is not what was stored`) });
