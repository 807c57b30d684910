/** An uploaded file is judged before anything of it is kept: by its name, its bytes, and a malware scanner. */

import type { ReceivedFile } from "../generated/schemas.ts";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { Problem } from "../infrastructure/problem.ts";
import { WorkTimeout, workIn } from "../infrastructure/workers/workers.ts";
import { rejections } from "./content/rejection.ts";
import { readFileName } from "./fileName.ts";
import { scanForMalware } from "./malware.ts";

export interface VerifiedFile extends ReceivedFile {
  /** What its bytes say. */
  readonly mimeType: string;
}

export interface InspectOptions {
  /** Whose file it is: tenants share the threads that look into files. */
  readonly tenantId: number;
}

/**
 * Throws `file_name_invalid`, the code of the rule of content/ that the file breaks (415), `busy` where too many files
 * wait, `malware_found`, and `scanner_unavailable`.
 */
export async function inspectUpload(
  file: ReceivedFile,
  parts: Infrastructure,
  { tenantId }: InspectOptions,
): Promise<VerifiedFile> {
  const named = { ...file, fileName: readFileName(file.fileName) };
  const mimeType = await lookInto(named, parts, { tenantId });
  await scanForMalware(named, parts);
  return { ...named, mimeType };
}

/** The slowest file that the bounds of content/ allow takes a second; a file past this limit is refused for it. */
const limitMs = 5_000;
const contentCheck = workIn<typeof import("./content/contentWork.ts")>()(
  new URL("./content/contentWork.ts", import.meta.url),
  "inspectContent",
  limitMs,
);

async function lookInto(
  { path, size, fileName, declaredType }: ReceivedFile,
  { workers }: Infrastructure,
  { tenantId }: InspectOptions,
): Promise<string> {
  const upload = { path, size, fileName, declaredType };
  const verdict = await workers.run(contentCheck, upload, String(tenantId)).catch(refuseTooComplex);
  if ("mimeType" in verdict) return verdict.mimeType;
  const { rejection, cause } = verdict;
  throw new Problem(rejection, { message: rejections[rejection], cause });
}

function refuseTooComplex(error: unknown): never {
  if (!(error instanceof WorkTimeout)) throw error;
  throw new Problem("file_too_complex", { message: rejections.file_too_complex, cause: error });
}
