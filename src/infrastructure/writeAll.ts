/** Writes all bytes to an open file. One call of the system may take only some of them. */
import { writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";

export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength; )
    written += (await file.write(bytes, written)).bytesWritten;
}

export function writeAllSync(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.byteLength; ) written += writeSync(descriptor, bytes, written);
}
