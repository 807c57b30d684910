/**
 * Attachments without a login: for visitors of an embedded start form, and for outside systems with a signed URL.
 *
 * - Tenant and process come from the form token, never from the request.
 * - A session sees only its own drafts.
 * - Only an accepted GET uses up a download token. The database does this before the storage is touched.
 */
import type { HandlersOf } from "../../handler.ts";
import { deletePublicAttachment } from "./deletePublicAttachment.ts";
import { downloadSignedAttachment } from "./downloadSignedAttachment.ts";
import { getPublicAllowedTypes } from "./getPublicAllowedTypes.ts";
import { uploadPublicAttachment } from "./uploadPublicAttachment.ts";

export const publicAttachments = {
  uploadPublicAttachment,
  getPublicAllowedTypes,
  deletePublicAttachment,
  downloadSignedAttachment,
} satisfies HandlersOf<"publicAttachments">;
