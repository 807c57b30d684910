/** A file goes out: headers first, since nothing may go wrong with them once a token is used; then the stream. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Parts } from "../deps.ts";
import { type OutgoingFile, writeAndHash } from "../file.ts";
import { Problem, type ProblemCode } from "../problem.ts";
import { dispositionOf } from "./fileName.ts";

/** A file that was stored. */
export interface SentFile {
  readonly id: string;
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal, lower case. */
  readonly sha256: string;
}

/** Everything that a browser or a cache could do with somebody's identity card is forbidden here (design 8). */
export function fileHeaders(file: Omit<SentFile, "id" | "size">): Record<string, string> {
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
}

/**
 * The bytes, whole before the first of them is sent: an object that lies elsewhere comes to a temporary file first,
 * and its digest is compared. Throws the problem that `gone` says where the object is gone, `storage_unavailable`
 * where it cannot be had, `internal_error` where it is not what was stored.
 */
export async function openFile(
  { storage, config, log }: Parts,
  file: SentFile,
  { key, gone }: Where,
): Promise<OutgoingFile> {
  const object = await storage.get(key);
  if (!object) {
    log.error({ file_id: file.id }, "a file's object is gone from the storage");
    throw new Problem(gone);
  }
  if (object.path === undefined) return fetchToDisk(object.body, file, config.dataDir);
  await object.body.cancel();
  if (object.size === file.size) return Bun.file(object.path);
  throw damaged(file);
}

/** Longer than a response needs to open its file; what a crash leaves the sweep removes. */
const keptMs = 60_000;

async function fetchToDisk(
  body: ReadableStream<Uint8Array>,
  file: SentFile,
  dataDir: string,
): Promise<OutgoingFile> {
  const folder = join(dataDir, "uploads");
  await mkdir(folder, { recursive: true });
  const path = join(folder, crypto.randomUUID());
  const remove = () => rm(path, { force: true }).catch(() => {});
  try {
    const received = await writeAndHash(body, path);
    if (received.sha256 !== file.sha256) throw damaged(file);
  } catch (error) {
    await remove();
    throw error;
  }
  setTimeout(remove, keptMs).unref();
  return Bun.file(path);
}

const damaged = ({ id }: SentFile) =>
  new Problem("internal_error", { cause: new Error(`the object of ${id} is not what was stored`) });
