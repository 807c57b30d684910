/** For receivers with a disk (Node, Bun): straight to a path, however large the file. */
import { createHash } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { download } from "./download.ts";
import { isDownloadUrl } from "./fileValue.ts";
import { decodeBase64, type ReceiveOptions } from "./receive.ts";
import { ReceiveError } from "./receiveError.ts";

export interface ReceivedFile {
  readonly path: string;
  /** As the sender calls it; not a path. */
  readonly name: string;
  /** Empty where the value was base64, which says none. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * As `receiveFile`, with memory for one chunk only. At `path` stands the whole, checked file or, where this throws,
 * whatever stood there before: the bytes come to `<path>.<random>.part` first.
 */
export async function receiveFileTo(
  value: string,
  path: string,
  options: ReceiveOptions = {},
): Promise<ReceivedFile> {
  const incoming = isDownloadUrl(value)
    ? await download(value, options)
    : {
        name: options.fileName ?? "file",
        type: "",
        sha256: undefined,
        chunks: [decodeBase64(value, options)],
      };
  const part = `${path}.${crypto.randomUUID()}.part`;
  try {
    const { size, sha256 } = await write(incoming.chunks, part);
    if (incoming.sha256 !== undefined && incoming.sha256 !== sha256)
      throw new ReceiveError("digest_mismatch");
    await rename(part, path);
    return { path, name: incoming.name, type: incoming.type, size };
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function write(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, path: string) {
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      hash.update(chunk);
      await file.writeFile(chunk);
      size += chunk.byteLength;
    }
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest("base64") };
}
