/** An uploaded file is judged before anything of it is kept: by its name, its bytes, and a malware scanner (design 8). */
import { checkContent } from "../content/checkContent.ts";
import { ContentRejection } from "../content/rejection.ts";
import type { Parts } from "../deps.ts";
import type { ReceivedFile } from "../file.ts";
import { Problem } from "../problem.ts";
import { checkFileName } from "./fileName.ts";
import { scanForMalware } from "./malware.ts";

export interface JudgedFile extends ReceivedFile {
  /** What its bytes say. */
  readonly mimeType: string;
}

/**
 * Throws `file_name_invalid`, the code of the rule of content/ that the file breaks (415), `malware_found`, and
 * `scanner_unavailable`.
 */
export async function judgeFile(file: ReceivedFile, parts: Parts): Promise<JudgedFile> {
  checkFileName(file.fileName);
  const { mimeType } = await checkContent(file).catch(refuseContent);
  await scanForMalware(file, parts);
  return { ...file, mimeType };
}

function refuseContent(error: unknown): never {
  if (error instanceof ContentRejection)
    throw new Problem(error.code, { message: error.message, cause: error.cause });
  throw error;
}
