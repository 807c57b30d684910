/** Entity tags (RFC 9110, 8.8.3 and 13.1.1), so that nobody overwrites what somebody else has changed. */
import { Problem } from "../../infrastructure/problem.ts";

/** Tags of the header, or `*`, which stands for any. */
export type IfMatch = "*" | readonly string[];

/**
 * What an `If-Match` lists, each tag as it is written, with its quotes. A weak tag is left out: it never matches.
 * Throws `invalid_parameter`.
 */
export function parseIfMatch(header: string): IfMatch {
  if (header.trim() === "*") return "*";
  const tags: string[] = [];
  const next = /[\s,]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")(?=\s*(?:,|$))|$)/y;
  while (next.lastIndex < header.length) {
    const [matched, weak, tag] = next.exec(header) ?? [];
    if (matched === undefined) throw malformed();
    if (tag !== undefined && weak === undefined) tags.push(tag);
  }
  return tags;
}

const malformed = () =>
  new Problem("invalid_parameter", {
    errors: [
      {
        pointer: "/header/if-match",
        detail: 'It takes * or entity tags, such as "17-1", with commas between them.',
      },
    ],
  });

/** Whether a thing with this tag may be changed. */
export const matchesTag = (ifMatch: IfMatch, tag: string) => ifMatch === "*" || ifMatch.includes(tag);

/** A row's tag: its id, and the transaction that wrote it last (`xmin`). */
export const rowTag = (id: string, transaction: string) => `"${id}-${transaction}"`;

/** The transactions that may have written the row last. Undefined: any. */
export function transactionsOf(ifMatch: IfMatch | undefined, id: string): readonly string[] | undefined {
  if (ifMatch === undefined || ifMatch === "*") return undefined;
  const before = `"${id}-`;
  return ifMatch
    .filter((tag) => tag.startsWith(before))
    .map((tag) => tag.slice(before.length, -1))
    .filter((text) => /^\d{1,10}$/.test(text));
}
