/**
 * Attachments without a login (reference: form-file-attachments 4 and 5): visitors of an embedded start form, and
 * outside systems that hold a signed URL.
 *
 * What holds here: tenant and process come from the form token, never from the request; a session sees its own
 * drafts only; a download token is used up by the database before the storage is touched, and by nothing but an
 * accepted GET.
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
