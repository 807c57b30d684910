/** Texts with expressions in them, such as `${amount > 1000}` or `PT${hours}H`. */
import { ExpressionError } from "./expressionError.ts";

/** Text, or the source of an expression between its braces. */
export type Part = { readonly text: string } | { readonly source: string };

/** In a text, a backslash escapes a backslash and the quote that the text has around it. */
export const quoted = /'(?:\\[\\']|[^'\\]|\\(?![\\']))*'|"(?:\\[\\"]|[^"\\]|\\(?![\\"]))*"/g;
const begin = /[$#]\{/g;
/** Braces stand only in quoted texts. */
const rest = new RegExp(`((?:${quoted.source}|[^{}'"])*)\\}`, "y");

export const hasExpression = (text: string) => text.search(begin) >= 0;

/** Throws `ExpressionError` for an expression without an end. Takes quadratic time: limit the text. */
export function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < text.length; ) {
    begin.lastIndex = at;
    const opening = begin.exec(text);
    const until = opening?.index ?? text.length;
    if (until > at) parts.push({ text: text.slice(at, until) });
    if (!opening) break;
    rest.lastIndex = until + opening[0].length;
    const source = rest.exec(text)?.[1];
    if (source === undefined)
      throw new ExpressionError('The expression is not well-formed: a "}" or a quote is missing.');
    parts.push({ source });
    at = rest.lastIndex;
  }
  return parts;
}
