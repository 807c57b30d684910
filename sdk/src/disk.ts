/** For receivers with a disk (Node, Bun): writes a file of any size to a path. */
import { createHash } from "node:crypto";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { download } from "./download.ts";
import { isDownloadUrl } from "./fileValue.ts";
import { decodeBase64, type ReceiveOptions } from "./receive.ts";
import { ReceiveError } from "./receiveError.ts";

export interface ReceivedFile {
  readonly path: string;
  /** The name that the sender gave. It is not a path. */
  readonly name: string;
  /** Empty if the value was base64, which contains no type. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Like `receiveFile`, but needs memory for one chunk only. The bytes go to `.<random>.part` in the same folder first.
 * `path` gets the whole, checked file. If the function throws, `path` is unchanged. The part file is opened before the
 * link is used, so a link still works after `not_writable` (no such folder, or `path` is a folder, symlink, device or
 * pipe).
 */
export async function receiveFileTo(
  value: string,
  path: string,
  options: ReceiveOptions = {},
): Promise<ReceivedFile> {
  const target = resolve(path);
  const part = join(dirname(target), `.${crypto.randomUUID()}.part`);
  const file = await openPart(part, target);
  try {
    const received = await receiveInto(file, value, options).finally(() => file.close());
    await rename(part, target);
    return { path, ...received };
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function openPart(part: string, target: string): Promise<FileHandle> {
  try {
    await checkTarget(target);
    return await open(part, "wx", 0o600);
  } catch (cause) {
    throw new ReceiveError("not_writable", { cause, because: (cause as Error).message });
  }
}

/** Only regular files may be replaced. A symlink is refused, because the caller did not name its target. */
async function checkTarget(target: string): Promise<void> {
  const existing = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (existing?.isSymbolicLink())
    throw new Error(`${target} is a symlink. Symlinks are neither followed nor replaced.`);
  if (existing && !existing.isFile()) throw new Error(`${target} is not a regular file.`);
}

async function receiveInto(file: FileHandle, value: string, options: ReceiveOptions) {
  const incoming = isDownloadUrl(value)
    ? await download(value, options)
    : {
        name: options.fileName ?? "file",
        type: "",
        sha256: undefined,
        chunks: [decodeBase64(value, options)],
      };
  const { size, sha256 } = await write(incoming.chunks, file);
  if (incoming.sha256 !== undefined && incoming.sha256 !== sha256) throw new ReceiveError("digest_mismatch");
  return { name: incoming.name, type: incoming.type, size };
}

async function write(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, file: FileHandle) {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    await file.writeFile(chunk);
    size += chunk.byteLength;
  }
  return { size, sha256: hash.digest("base64") };
}
