/** What is known of an attachment, and the shapes in which it is told. */
import type { AttachmentMetadata } from "../../generated/schemas.ts";

/** An attachment as the rooms see it. */
export interface Attachment {
  readonly id: string;
  readonly tenantId: number;
  readonly state: "draft" | "committed";
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal, lower case. */
  readonly sha256: string;
  readonly processInstanceId: string | null;
  readonly uploader: string | null;
}

/** RFC 3339, UTC, microseconds. */
export type Timestamp = string;

/** The metadata that a process variable holds (reference 2). */
export function metadataOf(
  attachment: Pick<Attachment, "id" | "fileName" | "mimeType" | "size">,
  uploadedAt: Timestamp,
): AttachmentMetadata {
  return {
    attachment_id: attachment.id,
    file_name: attachment.fileName,
    mime_type: attachment.mimeType,
    size: attachment.size,
    type: "file_attachment",
    uploaded_at: uploadedAt,
  };
}
