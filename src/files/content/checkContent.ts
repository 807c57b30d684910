/**
 * Whether a file is what its name says, judged by its bytes (design 8).
 *
 * The detector (`file-type`) goes first and says what the file claims to be; it can be lied to, so each format
 * is then walked by structure. Every check reads through one window and costs time in proportion to the file.
 */
import { fileTypeFromFile } from "file-type";
import { type AllowedType, isDeclaredAs, isDetectedAs, typeOfFileName } from "./allowedTypes.ts";
import { type FileBytes, withFileBytes } from "./fileBytes.ts";
import { checkJpeg } from "./jpeg.ts";
import { checkOfficeDocument } from "./officeDocument.ts";
import { checkPdf } from "./pdf.ts";
import { checkPng } from "./png.ts";
import { ContentRejection } from "./rejection.ts";
import { refuseArchiveTail } from "./zipEnd.ts";

export interface UploadedFile {
  /** A local file, complete and no longer written to. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The original name; only its extension is looked at. */
  readonly fileName: string;
  /** The `Content-Type` of the multipart part, if it had one. */
  readonly declaredType?: string | undefined;
}

const checks: Record<AllowedType["format"], (file: FileBytes) => Promise<void> | void> = {
  jpeg: checkJpeg,
  png: checkPng,
  pdf: checkPdf,
  docx: (file) => checkOfficeDocument(file, "docx"),
  xlsx: (file) => checkOfficeDocument(file, "xlsx"),
};

/** Answers the file's content type, or throws `ContentRejection`; any other error is the file system's. */
export async function checkContent(upload: UploadedFile): Promise<{ mimeType: string }> {
  const type = typeOfFileName(upload.fileName);
  if (!isDeclaredAs(type, upload.declaredType)) throw new ContentRejection("type_mismatch");
  if (upload.size === 0) throw new ContentRejection("file_empty");
  await refuseOtherDetection(type, upload.path);
  await withFileBytes(upload.path, async (file) => {
    if (!isOffice(type)) refuseArchiveTail(file);
    await checks[type.format](file);
  });
  return { mimeType: type.mimeType };
}

async function refuseOtherDetection(type: AllowedType, path: string): Promise<void> {
  const detected = (await fileTypeFromFile(path))?.mime ?? "";
  if (isDetectedAs(type, detected)) return;
  if (isOffice(type) && detected === "application/x-cfb") throw new ContentRejection("document_encrypted");
  if (isOffice(type) && detected.includes(".macroenabled")) throw new ContentRejection("document_has_macros");
  throw new ContentRejection("type_mismatch");
}

function isOffice({ format }: AllowedType): boolean {
  return format === "docx" || format === "xlsx";
}
