/**
 * The allowed types of files (docs/decisions/requirements.md, Attachment operations), and the names under which clients
 * declare them and the detector finds them.
 */
import { ContentRejection } from "./rejection.ts";

export interface AllowedType {
  readonly format: "jpeg" | "png" | "pdf" | "docx" | "xlsx";
  /** The type under which the file is stored and sent. */
  readonly mimeType: string;
  /** Other names that real clients declare. */
  readonly aliases: readonly string[];
  /**
   * Other names that the detector gives it: it does not read every archive far enough, and tells animated PNG apart.
   */
  readonly alsoDetectedAs: readonly string[];
}

const jpeg: AllowedType = {
  format: "jpeg",
  mimeType: "image/jpeg",
  aliases: ["image/jpg", "image/pjpeg"],
  alsoDetectedAs: [],
};
const png: AllowedType = {
  format: "png",
  mimeType: "image/png",
  aliases: ["image/x-png", "image/apng"],
  alsoDetectedAs: ["image/apng"],
};
const pdf: AllowedType = {
  format: "pdf",
  mimeType: "application/pdf",
  aliases: ["application/x-pdf"],
  alsoDetectedAs: [],
};
const docx: AllowedType = {
  format: "docx",
  mimeType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  aliases: ["application/wps-office.docx"],
  alsoDetectedAs: ["application/zip"],
};
const xlsx: AllowedType = {
  format: "xlsx",
  mimeType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  aliases: ["application/wps-office.xlsx"],
  alsoDetectedAs: ["application/zip"],
};

const typesByExtension: ReadonlyMap<string, AllowedType> = new Map([
  ["jpg", jpeg],
  ["jpeg", jpeg],
  ["png", png],
  ["pdf", pdf],
  ["docx", docx],
  ["xlsx", xlsx],
]);

/** In the order in which `allowed-types` lists them. */
export const allowedExtensions: readonly string[] = [...typesByExtension.keys()];

/** The type of a file's extension, in upper or lower case. Throws `extension_not_allowed`. */
export function typeOfFileName(fileName: string): AllowedType {
  const dot = fileName.lastIndexOf(".");
  const type = dot < 0 ? undefined : typesByExtension.get(fileName.slice(dot + 1).toLowerCase());
  if (type === undefined) throw new ContentRejection("extension_not_allowed");
  return type;
}

/** Whether a part's `Content-Type` fits. A missing one and `application/octet-stream` fit any type. */
export function isDeclaredAs(type: AllowedType, declaredType: string | undefined): boolean {
  const declared = (declaredType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (declared === "" || declared === "application/octet-stream") return true;
  return declared === type.mimeType || type.aliases.includes(declared);
}

export function isDetectedAs(type: AllowedType, detected: string): boolean {
  return detected === type.mimeType || type.alsoDetectedAs.includes(detected);
}
