/**
 * Downloads. Everything that can fail without the storage is done before a download token is used up; only then the
 * bytes are fetched.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull } from "../infrastructure/diskSpace.ts";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { writeAndHash } from "../infrastructure/localFile.ts";
import { makePrivateFolder } from "../infrastructure/privateFolder.ts";
import { Problem, type ProblemCode } from "../infrastructure/problem.ts";
import { type FileKind, type FileRecord, objectKey } from "./fileKind.ts";
import { dispositionOf } from "./fileName.ts";

/** Forbids browsers and caches to render, sniff or keep the file: it may be somebody's identity card. */
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

/**
 * Reserves disk space for the local copy of a file from S3; the function that it returns releases it. Reserve the space
 * before you use up anything that a second try would need. Throws `busy`.
 */
export async function reserveSpace(
  { storage, disk }: Infrastructure,
  { size, tenantId }: Pick<FileRecord, "size" | "tenantId">,
): Promise<() => void> {
  return storage.isLocal ? () => {} : disk.holdCopy(size, String(tenantId));
}

export interface DownloadOptions {
  readonly kind: FileKind;
  /** The problem that is thrown if the object is missing. */
  readonly notFound: ProblemCode;
}

/** The answer of a download. Throws `busy` and what `openFile` throws. */
export async function download(deps: Infrastructure, file: FileRecord, options: DownloadOptions) {
  const headers = fileHeaders(file);
  const release = await reserveSpace(deps, file);
  return { status: 200, headers, body: await openFile(deps, file, { ...options, release }) } as const;
}

/**
 * Opens a file that is complete before its first byte is sent: an object in S3 is first copied to a temporary file, and
 * its digest is compared. Throws the problem `notFound` if the object is missing, `storage_unavailable` if it cannot be
 * fetched, and `internal_error` if it is not what was stored. Calls `release` (from `reserveSpace`) when the local copy
 * is gone.
 */
export async function openFile(
  { storage, config, log }: Infrastructure,
  file: FileRecord,
  { kind, notFound, release }: DownloadOptions & { readonly release: () => void },
): Promise<Blob> {
  try {
    const object = await storage.get(objectKey(kind, file));
    if (!object) {
      log.error({ file_id: file.id }, "The object of a file is missing from the storage");
      throw new Problem(notFound);
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
 * A response opens its file when it is returned, and an open file can be sent after its name is removed. So the copy is
 * removed after this time, and its space is free when the last byte is sent. Any other stream is no alternative: Bun
 * 1.4.5 sends it without Content-Length.
 */
const copyLifetimeMs = 1_000;

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
    throw isDiskFull(error) ? noSpaceForCopy(error) : error;
  }
  setTimeout(remove, copyLifetimeMs).unref();
  return Bun.file(path);
}

const noSpaceForCopy = (cause: unknown) =>
  new Problem("storage_unavailable", {
    message: "The server has no disk space to fetch the file. Try again later.",
    cause,
  });

const damaged = ({ id }: FileRecord) =>
  new Problem("internal_error", { cause: new Error(`the object of ${id} is not what was stored`) });
