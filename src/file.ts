/** Files on their way through the server: in and out by way of a local file. Never in memory whole. */
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";

/** A file of a multipart request, streamed to disk. Gone once the request is answered. */
export interface ReceivedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal, lower case; taken on the way in. */
  readonly sha256: string;
  /** As the client named it, without any folders. */
  readonly fileName: string;
  /** The part's `Content-Type`; undefined where the client gave none. */
  readonly declaredType: string | undefined;
}

/**
 * A file's bytes to be sent: a Blob that stands for a local file. Bun strips Content-Length from any other stream
 * (oven-sh/bun#10507), and a receiver that cannot repeat its download should know what it is promised.
 */
export type OutgoingFile = Blob;

/** Writes a stream to a new file that only this user can read, hashing it on the way. */
export async function writeAndHash(
  stream: AsyncIterable<Uint8Array>,
  path: string,
): Promise<Pick<ReceivedFile, "size" | "sha256">> {
  const digest = createHash("sha256");
  let size = 0;
  const handle = await open(path, "wx", 0o600);
  try {
    for await (const chunk of stream) {
      digest.update(chunk);
      size += chunk.byteLength;
      await writeWhole(handle, chunk);
    }
  } finally {
    await handle.close();
  }
  return { size, sha256: digest.digest("hex") };
}

async function writeWhole(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.byteLength; )
    written += (await handle.write(chunk, written)).bytesWritten;
}
