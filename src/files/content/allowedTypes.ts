/**
 * The types that may be attached (reference, "Allowed files"), and what may be said of each.
 */
import { ContentRejection } from "./rejection.ts";

export interface AllowedType {
  readonly format: "jpeg" | "png" | "pdf" | "docx" | "xlsx";
  /** What the attachment is stored and sent as. */
  readonly mimeType: string;
  /** Other names under which real clients declare it. */
  readonly aliases: readonly string[];
  /** What else the detector may call it: it does not read every archive far enough, and names animated PNG apart. */
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

/** In the reference's order, for `allowed-types`. */
export const allowedExtensions: readonly string[] = [...typesByExtension.keys()];

/** The type that a file's extension names, in either case; throws `extension_not_allowed`. */
export function typeOfFileName(fileName: string): AllowedType {
  const dot = fileName.lastIndexOf(".");
  const type = dot < 0 ? undefined : typesByExtension.get(fileName.slice(dot + 1).toLowerCase());
  if (type === undefined) throw new ContentRejection("extension_not_allowed");
  return type;
}

/** Whether a part's `Content-Type` agrees. Absent or `application/octet-stream` says nothing, so it does. */
export function isDeclaredAs(type: AllowedType, declaredType: string | undefined): boolean {
  const declared = (declaredType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (declared === "" || declared === "application/octet-stream") return true;
  return declared === type.mimeType || type.aliases.includes(declared);
}

export function isDetectedAs(type: AllowedType, detected: string): boolean {
  return detected === type.mimeType || type.alsoDetectedAs.includes(detected);
}
