/**
 * Checks whether the content of a file is what its name says.
 *
 * The detector (`file-type`) comes first and says what the file claims to be. It can be deceived, so each format is
 * then walked by its structure. Every check reads through one window, and its time is proportional to the size of the
 * file.
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
  /** A local file that is complete. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The original name. Only the extension matters. */
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

/** Returns the file's content type. Throws `ContentRejection`, and errors of the file system. */
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
