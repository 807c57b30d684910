/**
 * Names of uploaded files: any script and punctuation, at most 255 bytes, and nothing that breaks a header or misleads.
 */
import { encodeExtended } from "content-disposition";
import { Problem } from "../infrastructure/problem.ts";

/** In UTF-8. Common file systems allow as much. */
const maxBytes = 255;

/**
 * Invisible characters: direction marks, which show `exe.pdf` as `fdp.exe`, zero-width spaces and fillers. Joiners
 * stay, because scripts and emoji need them, and so do format characters that have a shape.
 */
const invisible =
  /(?!\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cf}\u115f\u1160\u3164\uffa0]/gu;

/** The name without invisible characters. Throws `file_name_invalid` if it cannot be stored or returned as it is. */
export function readFileName(name: string): string {
  checkFileName(name);
  return name.replace(invisible, "");
}

function checkFileName(name: string): void {
  const bytes = new TextEncoder().encode(name).length;
  if (bytes > maxBytes) throw invalidName(`It has ${bytes} bytes; at most ${maxBytes} are allowed.`);
  if (name.includes("\0") || !name.isWellFormed()) throw invalidName("It is not valid text.");
}

/**
 * `attachment; filename="ascii"; filename*=UTF-8''…` (RFC 6266, RFC 8187). Clients that read the second form get the
 * exact name, all others an ASCII approximation.
 */
export const dispositionOf = (name: string) =>
  `attachment; filename="${asciiOf(name)}"; filename*=${encodeExtended(name)}`;

const asciiOf = (name: string) =>
  name
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll(/[^\x20-\x7e]/g, "_")
    .replaceAll(/["\\%/]/g, "_");

const invalidName = (detail: string) =>
  new Problem("file_name_invalid", { message: `The file name cannot be used. ${detail}` });
