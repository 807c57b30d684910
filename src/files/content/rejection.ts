import type { RejectionCode } from "../../infrastructure/problem.ts";

/**
 * Why the content of a file is refused: for each code one plain sentence for the person who chose the file. The caller
 * decides on the HTTP answer.
 */
export const rejections = {
  file_empty: "The file is empty.",
  extension_not_allowed: "Only files ending in jpg, jpeg, png, pdf, docx or xlsx are allowed.",
  type_mismatch: "The content of the file does not match its name or type.",
  file_too_complex:
    "The file takes too long to check; save it again in a simpler form and upload the new file.",
  file_ambiguous: "The file can also be read as a zip archive; save it again and upload the new file.",
  image_damaged: "The image is damaged.",
  image_truncated: "The image is incomplete.",
  image_too_large: "The image has too many pixels; make it smaller and upload the new file.",
  image_trailing_data: "The image has other data after its end; save it again and upload the new file.",
  pdf_damaged: "The PDF is damaged.",
  pdf_truncated: "The PDF is incomplete.",
  pdf_trailing_data: "The PDF has other data after its end; save it again and upload the new file.",
  document_encrypted:
    "The document is encrypted or in an old format; save it without a password or restrictions, as pdf, docx or xlsx.",
  document_has_macros: "The document contains macros or active controls.",
  document_remote_content: "The document loads a template or an object from another computer.",
  document_wrong_kind: "The document is not of the kind that its file name says.",
  document_damaged: "The document is damaged.",
  archive_damaged: "The document's zip archive is damaged.",
  archive_unsupported: "The document's zip archive uses a feature that office programs do not use.",
  archive_hidden_data: "The document's zip archive contains data that belongs to none of its parts.",
  archive_bomb: "The document is too large when unpacked.",
  archive_too_many_entries: "The document has too many parts.",
  archive_unsafe_name: "A part of the document has an unsafe name.",
  archive_duplicate_name: "Two parts of the document have the same name.",
} as const satisfies Record<RejectionCode, string>;

/** A file that is refused. `message` is the sentence of the code; `cause` has a parser's message, for the log only. */
export class ContentRejection extends Error {
  override readonly name = "ContentRejection";
  readonly code: RejectionCode;

  constructor(code: RejectionCode, options: ErrorOptions = {}) {
    super(rejections[code], options);
    this.code = code;
  }
}
