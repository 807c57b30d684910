/**
 * Objects behind one interface (design 1): any S3 server (`s3.ts`), or files in a folder (`filesystem.ts`).
 *
 * What every driver keeps, and `test/storageConformance.ts` proves:
 * - An object is there whole or not at all, under its key, with the bytes whose SHA-256 was announced.
 * - Bytes stream both ways: memory grows neither with an object's size nor with the number in flight.
 * - A storage that is full is `insufficient_storage`. Whatever else it fails at (away, slow, credential refused, bucket or folder missing) is the problem
 *   `storage_unavailable`. A driver holds no state that a failure could spoil, so the next call just works again.
 */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { isDiskFull, noRoom } from "../diskSpace.ts";
import { Problem } from "../problem.ts";

export interface Storage {
  /** Whether objects are files on the disk of DATA_DIR. */
  readonly isLocal: boolean;
  /**
   * Stores a local file under a key, in place of any object there. The local file stays.
   * A file that is not what was announced is not stored: `internal_error`.
   */
  put(key: string, file: LocalFile): Promise<void>;
  /** The object, or undefined where there is none. Its body is to be read to its end or cancelled. */
  get(key: string): Promise<StoredObject | undefined>;
  /** Removes the object. That there is none is no error. */
  remove(key: string): Promise<void>;
  /** The objects whose key begins with `prefix` (`""`: all), in no particular order, never all of them in memory. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Makes the bucket or folder where it is missing; any number of processes may do so at once. */
  prepare(): Promise<void>;
  /** Resolves if the storage would answer now: one cheap look. */
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
  /** Fails with `storage_unavailable` where the storage breaks off; never ends early without an error. */
  readonly body: ReadableStream<Uint8Array>;
  /** Where the object is a local file: a path that nothing will ever write to again. */
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

/** Refuses what is no key of ours: a mistake in the program, not in a request. */
export function checkKey(key: string): void {
  if (!keyPattern.test(key) || key.includes("..") || key.length > maxKeyLength) {
    throw new TypeError(`Not a storage key: ${JSON.stringify(key)}`);
  }
}

/** Wraps what a storage failed with, unless it is a problem already; a full disk is `insufficient_storage`. */
export function unavailable(cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  return isFull(cause) ? noRoom({ cause }) : new Problem("storage_unavailable", { cause });
}

/** What S3 servers say where their disks are full. */
const fullCodes = ["XMinioStorageFull", "StorageFull", "InsufficientStorage", "QuotaExceeded"];

const isFull = (cause: unknown) =>
  isDiskFull(cause) || (cause instanceof Error && "code" in cause && fullCodes.includes(String(cause.code)));

/**
 * Reads a local file once, and fails at its end where it is not what was announced (`internal_error`).
 * All chunks share one buffer, so that uploads leave no garbage: a chunk lasts until the next one is asked for.
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
  return `${file.path} is ${JSON.stringify(found)}, announced was ${JSON.stringify(file)}`;
}
