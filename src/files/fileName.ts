/** The names of uploaded files: any script, any punctuation, one limit, and never a way to break a header. */
import { encodeExtended } from "content-disposition";
import { Problem } from "../problem.ts";

/** What common file systems hold. In UTF-8. */
const maxBytes = 255;

/** Throws `file_name_invalid` for a name that cannot be stored or given back. */
export function checkFileName(name: string): void {
  const bytes = new TextEncoder().encode(name).length;
  if (bytes > maxBytes) throw refused(`It has ${bytes} bytes; at most ${maxBytes} are allowed.`);
  if (name.includes("\0") || !name.isWellFormed()) throw refused("It is not valid text.");
}

/**
 * `attachment; filename="ascii"; filename*=UTF-8''…` (RFC 6266, RFC 8187): the exact name for those who read the
 * second form, an ASCII likeness for those who do not.
 */
export const dispositionOf = (name: string) =>
  `attachment; filename="${asciiOf(name)}"; filename*=${encodeExtended(name)}`;

const asciiOf = (name: string) =>
  name
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll(/[^\x20-\x7e]/g, "_")
    .replaceAll(/["\\%/]/g, "_");

const refused = (detail: string) =>
  new Problem("file_name_invalid", { message: `The file name cannot be used. ${detail}` });
