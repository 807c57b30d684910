/**
 * Form file attachments for signed-in users.
 *
 * A missing or deleted attachment and an attachment of another user or tenant give the same answer. The life of an
 * attachment is in files/attachments, which the public variant and engines share.
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
