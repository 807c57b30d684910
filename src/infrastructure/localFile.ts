/** Files on their way through the server: in and out by way of a local file. Never in memory whole. */
import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import type { ReceivedFile } from "../generated/schemas.ts";
import { writeAllSync } from "./writeAll.ts";

/**
 * Writes a stream to a new file that only this user can read, hashing it on the way.
 *
 * Each chunk is in the system's cache before the next is taken. While an asynchronous write waits for its turn, Bun
 * goes on taking what the client sends: a hundred uploads at once held twice the memory, and took longer.
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

/** Received between two collections: chunks are garbage as soon as they are written, but do not look like much to Bun. */
const bytesBetweenCollections = 32 * 1024 ** 2;
let receivedSince = 0;

function collectGarbage(received: number): void {
  receivedSince += received;
  if (receivedSince < bytesBetweenCollections) return;
  receivedSince = 0;
  Bun.gc(true);
}
