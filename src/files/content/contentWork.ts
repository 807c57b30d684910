/** The content check as work for another thread: what it finds is returned as data. */

import type { RejectionCode } from "../../infrastructure/problem.ts";
import { checkContent, type UploadedFile } from "./checkContent.ts";
import { ContentRejection } from "./rejection.ts";

export type ContentVerdict =
  | { readonly mimeType: string }
  | {
      readonly rejection: RejectionCode;
      /** What a parser said, for the log. */
      readonly cause: string | undefined;
    };

/** As `checkContent`, but answers a rejection. Throws the file system's errors. */
export async function inspectContent(upload: UploadedFile): Promise<ContentVerdict> {
  try {
    return await checkContent(upload);
  } catch (error) {
    if (!(error instanceof ContentRejection)) throw error;
    return { rejection: error.code, cause: error.cause === undefined ? undefined : String(error.cause) };
  }
}
