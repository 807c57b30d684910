/**
 * One interface for objects: in any S3 server (`s3.ts`), or as files in a folder (`filesystem.ts`).
 *
 * Every driver keeps these rules, which `test/infrastructure/storage/conformance.ts` checks:
 * - An object exists whole or not at all, under its key, with the bytes whose SHA-256 was announced.
 * - Bytes stream in both directions. Memory grows neither with the size of an object nor with the number of transfers.
 * - A full storage is `insufficient_storage`. Every other failure (unreachable, slow, credentials refused, bucket or
 *   folder missing) is `storage_unavailable`. A failure leaves no state behind, so the next call works again.
 */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { isDiskFull, noRoom } from "../diskSpace.ts";
import { Problem } from "../problem.ts";

export interface Storage {
  /** Whether objects are files on the disk of DATA_DIR. */
  readonly isLocal: boolean;
  /**
   * Stores a local file under a key, and replaces any object there. The local file stays. Throws `internal_error` and
   * stores nothing if the file differs from what was announced.
   */
  put(key: string, file: LocalFile): Promise<void>;
  /** The object, or undefined if there is none. The caller must read its body to the end or cancel it. */
  get(key: string): Promise<StoredObject | undefined>;
  /** Removes the object. It is not an error if there is none. */
  remove(key: string): Promise<void>;
  /** The objects whose key begins with `prefix` (`""`: all), in any order. Never keeps all of them in memory. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Creates the bucket or folder if it is missing. Any number of processes may do so at once. */
  prepare(): Promise<void>;
  /** Resolves if the storage can be used now. Cheap. */
  ready(): Promise<void>;
}

export interface LocalFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal, lower case. */
  readonly sha256: string;
  readonly contentType: string;
}

export interface StoredObject {
  /** Bytes. */
  readonly size: number;
  /** Fails with `storage_unavailable` if the storage breaks off. Never ends early without an error. */
  readonly body: ReadableStream<Uint8Array>;
  /** The path, if the object is a local file. Nothing will write to it again. */
  readonly path?: string;
}

export interface ListedObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
}

const keyPattern = /^[a-z0-9][a-z0-9_.-]*(?:\/[a-z0-9_-][a-z0-9_.-]*)*$/;
const maxKeyLength = 255;

/** Throws for a key that Waybill does not use: a mistake in the program, not in a request. */
export function checkKey(key: string): void {
  if (!keyPattern.test(key) || key.includes("..") || key.length > maxKeyLength) {
    throw new TypeError(`Not a storage key: ${JSON.stringify(key)}`);
  }
}

/** Wraps the error of a storage, unless it already is a problem. A full disk is `insufficient_storage`. */
export function unavailable(cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  return isFull(cause) ? noRoom({ cause }) : new Problem("storage_unavailable", { cause });
}

/** The error codes of S3 servers for a full disk. */
const fullCodes = ["XMinioStorageFull", "StorageFull", "InsufficientStorage", "QuotaExceeded"];

const isFull = (cause: unknown) =>
  isDiskFull(cause) || (cause instanceof Error && "code" in cause && fullCodes.includes(String(cause.code)));

/**
 * Reads a local file once. Throws `internal_error` at the end if the file differs from what was announced. All chunks
 * share one buffer, so that uploads leave no garbage: a chunk is valid until the next one is requested.
 */
export async function* readAnnounced(file: LocalFile): AsyncGenerator<Uint8Array, void, undefined> {
  const digest = createHash("sha256");
  let size = 0;
  try {
    for await (const chunk of readChunks(file.path)) {
      digest.update(chunk);
      size += chunk.length;
      yield chunk;
    }
    const sha256 = digest.digest("hex");
    if (size !== file.size || sha256 !== file.sha256) throw new Error(changed(file, { size, sha256 }));
  } catch (cause) {
    throw new Problem("internal_error", { cause });
  }
}

async function* readChunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const buffer = new Uint8Array(256 * 1024);
  const handle = await open(path, "r");
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

function changed(file: LocalFile, found: { size: number; sha256: string }): string {
  return `${file.path} is ${JSON.stringify(found)}, but was announced as ${JSON.stringify(file)}`;
}
