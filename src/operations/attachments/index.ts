/**
 * Form file attachments for signed-in users (reference: form-file-attachments 4, login variant).
 *
 * What holds here: another tenant's attachment, another user's, a missing and a removed one look alike. The life of
 * an attachment itself is in formFiles/, shared with the public variant and with engines.
 */
import type { HandlersOf } from "../../handler.ts";
import { deleteAttachment } from "./deleteAttachment.ts";
import { downloadAttachment } from "./downloadAttachment.ts";
import { finalizeAttachments } from "./finalizeAttachments.ts";
import { getAllowedTypes } from "./getAllowedTypes.ts";
import { uploadAttachment } from "./uploadAttachment.ts";

export const attachments = {
  uploadAttachment,
  finalizeAttachments,
  getAllowedTypes,
  deleteAttachment,
  downloadAttachment,
} satisfies HandlersOf<"attachments">;
