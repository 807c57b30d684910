/** Inspects an uploaded file before anything of it is stored: its name, its content, and then a malware scan. */
import type { ReceivedFile } from "../generated/schemas.ts";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { Problem } from "../infrastructure/problem.ts";
import { WorkTimeout, workIn } from "../infrastructure/workers/workers.ts";
import { rejections } from "./content/rejection.ts";
import { readFileName } from "./fileName.ts";
import { scanForMalware } from "./malware.ts";

export interface VerifiedFile extends ReceivedFile {
  /** The type that its bytes have. */
  readonly mimeType: string;
}

export interface InspectOptions {
  /** The file's tenant. Tenants share the threads that check content. */
  readonly tenantId: number;
}

/**
 * Throws `file_name_invalid`, a code of content/rejection.ts (415), `busy` if too many files are waiting,
 * `malware_found` and `scanner_unavailable`.
 */
export async function inspectUpload(
  file: ReceivedFile,
  deps: Infrastructure,
  { tenantId }: InspectOptions,
): Promise<VerifiedFile> {
  const named = { ...file, fileName: readFileName(file.fileName) };
  const mimeType = await detectType(named, deps, { tenantId });
  await scanForMalware(named, deps);
  return { ...named, mimeType };
}

/** The slowest file that the limits in content/ allow takes a second. A file that takes longer than this is refused. */
const limitMs = 5_000;
const contentCheck = workIn<typeof import("./content/contentWork.ts")>()(
  new URL("./content/contentWork.ts", import.meta.url),
  "inspectContent",
  limitMs,
);

async function detectType(
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
