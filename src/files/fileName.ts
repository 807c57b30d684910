/** The names of uploaded files: any script, any punctuation, one limit, and never a way to break a header or to mislead. */
import { encodeExtended } from "content-disposition";
import { Problem } from "../infrastructure/problem.ts";

/** What common file systems hold. In UTF-8. */
const maxBytes = 255;

/**
 * Characters that cannot be seen: direction marks, with which `exe.pdf` is shown as `fdp.exe`, zero-width spaces and
 * fillers. Not among them are the joiners, which scripts and emoji need, and format characters that have a shape.
 */
const invisible =
  /(?!\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cf}\u115f\u1160\u3164\uffa0]/gu;

/** The name without what cannot be seen. Throws `file_name_invalid` for one that cannot be stored or given back. */
export function readFileName(name: string): string {
  checkFileName(name);
  return name.replace(invisible, "");
}

function checkFileName(name: string): void {
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
