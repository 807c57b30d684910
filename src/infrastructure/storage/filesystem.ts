/**
 * Objects as files in a folder, for a server without S3.
 *
 * A file is written under `.incoming/`, flushed, and renamed to its place; then the folders above it are flushed. So a
 * process or machine that stops at any moment leaves no partial object under a key, and an object that `put` has
 * confirmed is on the disk.
 *
 * The object `a/b/name` is the file `a/b/@3f/name`, where `3f` comes from a digest of `name`. So a million objects do
 * not share one folder. No key contains `@`, so both `a` and `a/b` can be objects.
 */
import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, type FileHandle, open, opendir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { makePrivate, makePrivateFolder, privateFileMode } from "../privateFolder.ts";
import { writeAll } from "../writeAll.ts";
import {
  checkKey,
  type ListedObject,
  type LocalFile,
  readAnnounced,
  type Storage,
  type StoredObject,
  unavailable,
} from "./storage.ts";

const chunkBytes = 256 * 1024;
const leftoverAgeMs = 24 * 60 * 60 * 1000;

/** Keeps objects under `folder`, an absolute path. `prepare` creates the folder. */
export function filesystemStorage({ folder }: { folder: string }): Storage {
  const incoming = join(folder, ".incoming");

  // If the whole folder is missing (a volume is not mounted), the storage is unavailable, not the object missing.
  async function ready(): Promise<void> {
    await access(incoming, constants.W_OK).catch((cause) => {
      throw unavailable(cause);
    });
  }

  async function put(key: string, file: LocalFile): Promise<void> {
    const path = pathOf(folder, key);
    const temporary = join(incoming, randomUUID());
    try {
      await copyAnnounced(file, temporary);
      await makePrivateFolder(dirname(path));
      await rename(temporary, path);
      await flushFolders(dirname(path), folder);
    } catch (cause) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw unavailable(cause);
    }
  }

  async function get(key: string): Promise<StoredObject | undefined> {
    const path = pathOf(folder, key);
    const handle = await unlessMissing(open(path, "r"));
    if (handle === undefined) return ready().then(() => undefined);
    try {
      const { size } = await handle.stat();
      return { size, path, body: bodyOf(handle, size) };
    } catch (cause) {
      await handle.close();
      throw unavailable(cause);
    }
  }

  async function remove(key: string): Promise<void> {
    const path = pathOf(folder, key);
    const removed = await unlessMissing(rm(path).then(() => true));
    if (!removed) return ready();
    await flush(dirname(path)).catch((cause) => {
      throw unavailable(cause);
    });
  }

  async function* list(prefix: string): AsyncGenerator<ListedObject> {
    try {
      await ready();
      // Reads only the folders that can contain keys with the prefix.
      yield* walk(folder, join(folder, prefix.slice(0, prefix.lastIndexOf("/") + 1)), prefix);
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  async function prepare(): Promise<void> {
    try {
      await makePrivate(folder);
      await makePrivateFolder(incoming);
      await removeLeftovers(incoming);
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  return { isLocal: true, put, get, remove, list, prepare, ready };
}

function pathOf(folder: string, key: string): string {
  checkKey(key);
  const name = basename(key);
  const fan = createHash("sha256").update(name).digest("hex").slice(0, 2);
  return join(folder, dirname(key), `@${fan}`, name);
}

/** `a/b/@3f/name` → `a/b/name` */
function keyOf(folder: string, path: string): string {
  return join(relative(folder, dirname(dirname(path))), basename(path)).replaceAll(sep, "/");
}

async function copyAnnounced(file: LocalFile, path: string): Promise<void> {
  const handle = await open(path, "wx", privateFileMode);
  try {
    for await (const chunk of readAnnounced(file)) await writeAll(handle, chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a folder and those above it up to `top`: another process may have created them without flushing yet. */
async function flushFolders(path: string, top: string): Promise<void> {
  for (let at = path; at.length >= top.length; at = dirname(at)) await flush(at);
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function bodyOf(handle: FileHandle, size: number): ReadableStream<Uint8Array> {
  let position = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (position < size) {
          const chunk = await readChunk(handle, { position, size });
          position += chunk.length;
          controller.enqueue(chunk);
        }
        if (position === size) {
          await handle.close();
          controller.close();
        }
      } catch (cause) {
        await handle.close().catch(() => undefined);
        controller.error(unavailable(cause));
      }
    },
    cancel: () => handle.close(),
  });
}

async function readChunk(handle: FileHandle, { position, size }: { position: number; size: number }) {
  const buffer = new Uint8Array(Math.min(chunkBytes, size - position));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
  if (bytesRead === 0) throw new Error(`The file ended after ${position} of ${size} bytes`);
  return buffer.subarray(0, bytesRead);
}

async function* walk(folder: string, path: string, prefix: string): AsyncGenerator<ListedObject> {
  const entries = await missingAsUndefined(opendir(path));
  if (entries === undefined) return;
  for await (const entry of entries) {
    const at = join(path, entry.name);
    if (entry.isDirectory() && entry.name !== ".incoming") yield* walk(folder, at, prefix);
    if (entry.isFile() && keyOf(folder, at).startsWith(prefix)) yield* listed(keyOf(folder, at), at);
  }
}

async function* listed(key: string, path: string): AsyncGenerator<ListedObject> {
  // Undefined if the file was removed after the folder was read.
  const found = await missingAsUndefined(stat(path));
  if (found) yield { key, size: found.size, modifiedAt: found.mtime };
}

/** Removes files that crashed processes left. No write takes a day, so nothing uses an older file. */
async function removeLeftovers(incoming: string): Promise<void> {
  for await (const entry of await opendir(incoming)) {
    const path = join(incoming, entry.name);
    const found = await missingAsUndefined(stat(path));
    if (found && Date.now() - found.mtimeMs > leftoverAgeMs) await rm(path, { force: true });
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return missingAsUndefined(work).catch((cause) => {
    throw unavailable(cause);
  });
}

async function missingAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw cause;
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ENOENT";
}
