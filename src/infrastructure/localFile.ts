/** Receives files into local files, so that no file is in memory as a whole. */
import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import type { ReceivedFile } from "../generated/schemas.ts";
import { writeAllSync } from "./writeAll.ts";

/**
 * Writes a stream to a new file that only this account can read, and computes its hash.
 *
 * Writes are synchronous: each chunk is in the system's cache before the next one is taken. With asynchronous writes,
 * Bun keeps receiving while a write waits: a hundred simultaneous uploads took twice the memory and more time.
 */
export async function writeAndHash(
  stream: AsyncIterable<Uint8Array>,
  path: string,
): Promise<Pick<ReceivedFile, "size" | "sha256">> {
  const digest = createHash("sha256");
  let size = 0;
  const descriptor = openSync(path, "wx", 0o600);
  try {
    for await (const chunk of stream) {
      digest.update(chunk);
      size += chunk.byteLength;
      writeAllSync(descriptor, chunk);
      collectGarbage(chunk.byteLength);
    }
  } finally {
    closeSync(descriptor);
  }
  return { size, sha256: digest.digest("hex") };
}

/** Bytes received between two garbage collections. Written chunks are garbage, but Bun underestimates their size. */
const bytesBetweenCollections = 32 * 1024 ** 2;
let receivedSince = 0;

function collectGarbage(received: number): void {
  receivedSince += received;
  if (receivedSince < bytesBetweenCollections) return;
  receivedSince = 0;
  Bun.gc(true);
}
