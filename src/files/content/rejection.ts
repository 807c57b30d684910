import type { RejectionCode } from "../../infrastructure/problem.ts";

/**
 * The one table of why a file's content is refused: code → one plain sentence for the person who chose the file
 * (design 8). The caller decides the HTTP answer; nothing here knows of one.
 */
export const rejections = {
  file_empty: "The file is empty.",
  extension_not_allowed: "Only files ending in jpg, jpeg, png, pdf, docx or xlsx are allowed.",
  type_mismatch: "The file's name, its declared content type and its bytes do not agree.",
  file_too_complex:
    "The file takes too long to check; save it again in a simpler form and upload the new file.",
  file_ambiguous: "The file can also be read as an archive.",
  image_damaged: "The image is damaged.",
  image_truncated: "The image ends before its last part.",
  image_too_large: "The image has too many pixels.",
  image_trailing_data: "The image is followed by other data; save it again and upload the new file.",
  pdf_damaged: "The PDF is damaged.",
  pdf_truncated: "The PDF ends before its last part.",
  pdf_trailing_data: "The PDF is followed by other data.",
  document_encrypted:
    "The document is encrypted or in an old format; save it without a password or restrictions, as pdf, docx or xlsx.",
  document_has_macros: "The document contains macros or active controls.",
  document_remote_content: "The document loads a template or an object from another computer.",
  document_wrong_kind: "The document is not of the kind that its extension names.",
  document_damaged: "The document is damaged.",
  archive_damaged: "The document's archive is damaged.",
  archive_unsupported: "The document's archive uses a feature that office programs do not write.",
  archive_hidden_data: "The document's archive holds bytes that belong to none of its parts.",
  archive_bomb: "The document is too large when unpacked.",
  archive_too_many_entries: "The document consists of too many parts.",
  archive_unsafe_name: "A part of the document has an unsafe name.",
  archive_duplicate_name: "Two parts of the document have the same name.",
} as const satisfies Record<RejectionCode, string>;

/** A file that is not let in. `message` is the table's sentence; what a parser said is in `cause`, for the log only. */
export class ContentRejection extends Error {
  override readonly name = "ContentRejection";
  readonly code: RejectionCode;

  constructor(code: RejectionCode, options: ErrorOptions = {}) {
    super(rejections[code], options);
    this.code = code;
  }
}
