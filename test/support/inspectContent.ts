/** Runs the content check on bytes or on a fixture. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkContent } from "../../src/files/content/checkContent.ts";
import { ContentRejection } from "../../src/files/content/rejection.ts";
import type { RejectionCode } from "../../src/infrastructure/problem.ts";

const fixtures = join(import.meta.dir, "../fixtures/content");

export const fixture = (name: string): Buffer => readFileSync(join(fixtures, name));

/**
 * Returns "accepted" or the code of the rejection. Throws other errors, because they are faults of the check.
 */
export async function inspect(
  bytes: Buffer,
  fileName: string,
  declaredType?: string,
): Promise<"accepted" | RejectionCode> {
  const folder = await mkdtemp(join(tmpdir(), "content-"));
  try {
    const path = join(folder, "upload");
    await writeFile(path, bytes);
    await checkContent({ path, size: bytes.length, fileName, declaredType });
    return "accepted";
  } catch (error) {
    if (error instanceof ContentRejection) return error.code;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}
