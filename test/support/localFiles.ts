/** Local files of random bytes for uploads, in a temporary folder that `close` removes. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalFile } from "../../src/infrastructure/storage/storage.ts";

export interface LocalFiles {
  /** A new file of `size` bytes. */
  make(size: number): Promise<LocalFile>;
  close(): Promise<void>;
}

export async function openLocalFiles(): Promise<LocalFiles> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-files-"));
  return {
    async make(size) {
      const path = join(folder, randomUUID());
      const content = randomBytes(size);
      await writeFile(path, content);
      const sha256 = createHash("sha256").update(content).digest("hex");
      return { path, size, sha256, contentType: "application/octet-stream" };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The SHA-256, in hexadecimal, of the rest of a body. */
export async function digestOf(body: ReadableStream<Uint8Array> | undefined): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of body ?? []) digest.update(chunk);
  return digest.digest("hex");
}
