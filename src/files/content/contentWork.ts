/**
 * The content check as work for another thread. It returns rejections as data, because thrown errors lose their class.
 */

import type { RejectionCode } from "../../infrastructure/problem.ts";
import { checkContent, type UploadedFile } from "./checkContent.ts";
import { ContentRejection } from "./rejection.ts";

export type ContentVerdict =
  | { readonly mimeType: string }
  | {
      readonly rejection: RejectionCode;
      /** A parser's message, for the log. */
      readonly cause: string | undefined;
    };

/** As `checkContent`, but returns a rejection. Throws errors of the file system. */
export async function inspectContent(upload: UploadedFile): Promise<ContentVerdict> {
  try {
    return await checkContent(upload);
  } catch (error) {
    if (!(error instanceof ContentRejection)) throw error;
    return { rejection: error.code, cause: error.cause === undefined ? undefined : String(error.cause) };
  }
}
