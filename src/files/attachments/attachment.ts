/** An attachment, and its metadata as the contract and process variables show it. */
import type { AttachmentMetadata } from "../../generated/schemas.ts";
import type { FileMetadata, FileRecord } from "../fileKind.ts";

/** An attachment that exists for callers. */
export interface Attachment extends FileRecord {
  readonly state: "draft" | "committed";
  readonly processInstanceId: string | null;
  readonly uploader: string | null;
}

/** RFC 3339, UTC, microseconds. */
export type Timestamp = string;

/** The metadata that a process variable holds (docs/decisions/requirements.md, Attachment metadata). */
export function metadataOf(
  { id, fileName, mimeType, size }: FileMetadata,
  uploadedAt: Timestamp,
): AttachmentMetadata {
  return {
    attachment_id: id,
    file_name: fileName,
    mime_type: mimeType,
    size,
    type: "file_attachment",
    uploaded_at: uploadedAt,
  };
}
