/** The checks before a byte is sent: file type, size, and the form's remaining room. */
import { FileRefused } from "../uploader.ts";
import type { Messages } from "./messages.ts";

export interface FormLimits {
  readonly extensions?: readonly string[];
  readonly maxFileBytes?: number | undefined;
  /** For the whole form. */
  readonly maxFiles?: number;
  readonly maxTotalBytes?: number;
}

/** Files and bytes, attached or being uploaded. */
export interface Usage {
  readonly files: number;
  readonly bytes: number;
}

export interface Claim extends FormLimits {
  readonly usage: Usage;
  /** The field's `accept`, as of an `<input type="file">`. */
  readonly accept: string;
}

/** Throws `FileRefused` with one of the messages. */
export function checkLimits(file: File, claim: Claim, messages: Messages): void {
  const extensions = allowedExtensions(claim.accept, claim.extensions);
  const { maxFileBytes, maxFiles, maxTotalBytes, usage } = claim;
  if (extensions && !extensions.includes(extensionOf(file.name)))
    throw new FileRefused("extension_not_allowed", messages.wrongType(extensions));
  if (file.size === 0) throw new FileRefused("file_empty", messages.empty);
  if (maxFileBytes !== undefined && file.size > maxFileBytes)
    throw new FileRefused("payload_too_large", messages.tooLarge(maxFileBytes));
  if (maxFiles !== undefined && usage.files >= maxFiles)
    throw new FileRefused("session_quota_exceeded", messages.noFilesLeft(maxFiles));
  if (maxTotalBytes !== undefined && usage.bytes + file.size > maxTotalBytes)
    throw new FileRefused(
      "session_quota_exceeded",
      messages.noBytesLeft(Math.max(0, maxTotalBytes - usage.bytes)),
    );
}

const typeExtensions: Readonly<Record<string, readonly string[]>> = {
  "image/*": ["jpg", "jpeg", "png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/png": ["png"],
  "application/pdf": ["pdf"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
};

/** The extensions that both the server and the field accept. Undefined if neither restricts them. */
export function allowedExtensions(
  accept: string,
  extensions: readonly string[] | undefined,
): readonly string[] | undefined {
  const parts = accept.split(",").map((part) => part.trim().toLowerCase());
  const accepted = parts
    .filter((part) => part !== "")
    .flatMap((part) => (part.startsWith(".") ? [part.slice(1)] : (typeExtensions[part] ?? [])));
  if (accepted.length === 0) return extensions;
  return extensions ? extensions.filter((extension) => accepted.includes(extension)) : accepted;
}

const extensionOf = (name: string) => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
