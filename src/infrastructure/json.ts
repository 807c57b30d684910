/**
 * Parses JSON without losing anything.
 *
 * The built-in parser rounds long numbers, drops the zero of 1.10 and keeps only the last of two equal keys. It also
 * blocks the event loop for seconds if a large text has millions of values. So there are two ways:
 *
 * - A small text is scanned for tokens that the built-in parser would change. Nearly no text has any, and then the
 *   built-in parser takes it.
 * - Every other text goes through our own parser, once and in linear time. That parser has its own stack, so it can
 *   pause between two values. A number that a double cannot hold as written becomes a `JSON.rawJSON` object, which
 *   `JSON.stringify` writes exactly as it was. Only this parser refuses a text.
 */
import { endOfString, isDouble, JsonParser, maxDepth, quote } from "./jsonParser.ts";

export { maxDepth, pointerToken, unstorable } from "./jsonParser.ts";

/**
 * The value of a JSON text. Throws `invalid_json` for a syntax error, a key that appears twice in one object, too
 * deep nesting or too many values. Throws `invalid_body` for strings that cannot be stored (U+0000, half of a
 * surrogate pair).
 */
export function parseJson(text: string): unknown {
  if (text.length <= smallText) {
    const value = parseHarmless(text);
    if (value !== undefined) return value;
  }
  const parser = new JsonParser(text);
  while (!parser.step(Number.POSITIVE_INFINITY));
  return parser.value;
}

/** Like `parseJson`, but in turns of about `turnMs` milliseconds. `pause` lets other work run between two turns. */
export async function parseJsonInTurns(
  text: string,
  { turnMs, pause }: { readonly turnMs: number; readonly pause: () => Promise<void> },
): Promise<unknown> {
  const parser = new JsonParser(text);
  while (!parser.step(performance.now() + turnMs)) await pause();
  return parser.value;
}

/**
 * Texts of up to this many characters may go to the built-in parser. It takes 30 ms at worst (`{},` repeated) and a
 * tenth of that for rows, which is a quarter of the time of our own parser.
 */
export const smallText = 256 * 1024;

/** The value of a text that the built-in parser reads without loss. Undefined for any other. */
function parseHarmless(text: string): unknown {
  const seen = scan(text);
  if (seen.suspect || seen.depth > maxDepth) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return countKeys(value) === seen.keys ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Scan {
  /** Whether there may be a number that a double does not write back as it was, or a string that is not storable. */
  suspect: boolean;
  depth: number;
  /** The number of keys: colons outside strings. Counts equal keys each time. */
  keys: number;
}

/** Scans the text once. Takes any text, but the result only means something for valid JSON. */
function scan(text: string): Scan {
  const seen: Scan = { suspect: text.includes("\\u"), depth: 0, keys: 0 };
  let depth = 0;
  for (let at = 0; at < text.length && !seen.suspect; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) at = endOfString(text, at);
    else if (char === 0x3a) seen.keys++;
    else if (char === 0x7b || char === 0x5b) seen.depth = Math.max(seen.depth, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
    else if (char === 0x2d || (char >= 0x30 && char <= 0x39)) {
      const end = endOfNumber(text, at);
      seen.suspect = !isDouble(text.slice(at, end));
      at = end - 1;
    }
  }
  return seen;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const char = text.charCodeAt(end);
    const digit = char >= 0x30 && char <= 0x39;
    if (!digit && char !== 0x2e && char !== 0x2d && char !== 0x2b && (char | 0x20) !== 0x65) break;
  }
  return end;
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") keys += countKeys(item);
    return keys;
  }
  for (const key in value) {
    keys++;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "object") keys += countKeys(item);
  }
  return keys;
}

/** Whether the text is JSON by the rules of the built-in parser. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The text of a number: exact for a `JSON.rawJSON` object, as JavaScript writes it for a number. Else undefined. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}

export interface MemberText {
  readonly key: string;
  /** Where the text of the value begins and ends, without the white space around it. */
  readonly start: number;
  readonly end: number;
}

/** Finds the members of an object in its text, which must be valid JSON. Yields equal keys each time. Any depth. */
export function* membersOf(text: string): Generator<MemberText> {
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      key ??= JSON.parse(text.slice(at, end + 1)) as string;
      at = end;
    } else if (char === "{" || char === "[") depth++;
    else if (char === ":" && depth === 1) start = at + 1;
    else if (char === "," || char === "}" || char === "]") {
      if (depth === 1 && key !== undefined) {
        yield { key, ...withoutSpace(text, start, at) };
        key = undefined;
      }
      if (char !== ",") depth--;
    }
  }
}

function withoutSpace(text: string, from: number, to: number): { start: number; end: number } {
  const value = text.slice(from, to);
  return { start: to - value.trimStart().length, end: from + value.trimEnd().length };
}
