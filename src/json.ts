/**
 * JSON text → value, losing nothing on the way in (design 7).
 *
 * JavaScript's own parser rounds long numbers, drops the zero of 1.10 and forgets all but the last of two equal
 * keys. So a quick scan looks for a token that would suffer. Nearly every body has none and goes through the
 * built-in parser; the others go through lossless-json, and a number that a double cannot hold as written becomes a
 * `JSON.rawJSON` object, which `JSON.stringify` writes out exactly as it came in.
 */
import { LosslessNumber, parse as parseLossless } from "lossless-json";
import { type Fault, maxFaults, Problem } from "./problem.ts";

/** Arrays and objects within each other. Deeper than any honest document, shallower than any parser's stack. */
export const maxDepth = 128;

/**
 * The value of a JSON text. Throws `invalid_json` for a syntax error, a key that stands twice in one object or too
 * deep nesting, and `invalid_body` for strings that cannot be stored (U+0000, half of a surrogate pair).
 */
export function parseJson(text: string): unknown {
  const seen = scan(text);
  if (seen.depth > maxDepth)
    throw new Problem("invalid_json", { message: `The body nests deeper than ${maxDepth} levels.` });
  const value = parseNative(text);
  const repeatsKey = countKeys(value) !== seen.keys;
  const exact = seen.risky || repeatsKey ? parseExact(text) : value;
  if (repeatsKey) throw duplicateKey("");
  if (seen.unicodeEscape) refuseUnstorable(exact);
  return exact;
}

/** The source text of a number: exact for `JSON.rawJSON` objects, as JavaScript writes it for others. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}

interface Scan {
  /** A number that a double might not give back as it was written. */
  risky: boolean;
  unicodeEscape: boolean;
  depth: number;
  /** Colons outside of strings: the number of keys, counting those that stand twice. */
  keys: number;
}

const quote = 0x22;
const backslash = 0x5c;

/** One pass over the text. Valid for any text; means something for valid JSON only. */
function scan(text: string): Scan {
  const seen: Scan = { risky: false, unicodeEscape: text.includes("\\u"), depth: 0, keys: 0 };
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) at = endOfString(text, at);
    else if (char === 0x3a) seen.keys++;
    else if (char === 0x7b || char === 0x5b) seen.depth = Math.max(seen.depth, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
    else if (char === 0x2d || (char >= 0x30 && char <= 0x39)) {
      const end = endOfNumber(text, at);
      if (!seen.risky) seen.risky = isRisky(text, at, end);
      at = end - 1;
    }
  }
  return seen;
}

/** The index of the closing quote of the string that opens at `start`, or of the text's end. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

export interface MemberText {
  readonly key: string;
  /** Where the value's text begins and ends, without the white space around it. */
  readonly start: number;
  readonly end: number;
}

/** Where the text of an object, valid JSON, has its own members, also those that stand twice. However deep it nests. */
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

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const char = text.charCodeAt(end);
    const digit = char >= 0x30 && char <= 0x39;
    if (!digit && char !== 0x2e && char !== 0x2d && char !== 0x2b && (char | 0x20) !== 0x65) break;
  }
  return end;
}

function isRisky(text: string, start: number, end: number): boolean {
  const token = text.slice(start, end);
  return String(Number(token)) !== token;
}

function parseNative(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem("invalid_json", { message: syntaxMessage(text, cause), cause });
  }
}

function parseExact(text: string): unknown {
  try {
    return parseLossless(text, undefined, {
      parseNumber: (token) => (String(Number(token)) === token ? Number(token) : JSON.rawJSON(token)),
      onDuplicateKey: ({ key }) => {
        throw duplicateKey(key);
      },
    });
  } catch (cause) {
    throw cause instanceof Problem ? cause : new Problem("invalid_json", { cause });
  }
}

/** lossless-json names the key where the two values differ; two equal ones only show in the count. */
const duplicateKey = (key: string) =>
  new Problem("invalid_json", {
    message: `A key${key && ` (${JSON.stringify(key.slice(0, 100))})`} stands twice in one object.`,
  });

/** lossless-json knows the place of the error, the built-in parser does not. */
function syntaxMessage(text: string, cause: unknown): string {
  try {
    parseLossless(text.slice(0, 1_048_576), undefined, { parseNumber: (token) => new LosslessNumber(token) });
  } catch (error) {
    if (error instanceof SyntaxError) return `The body is not valid JSON: ${error.message.slice(0, 200)}.`;
  }
  return `The body is not valid JSON${cause instanceof SyntaxError && text === "" ? ": it is empty" : ""}.`;
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

function refuseUnstorable(value: unknown): void {
  const faults: Fault[] = [];
  collectUnstorable(value, "", faults);
  if (faults.length > 0) throw new Problem("invalid_body", { errors: faults });
}

function collectUnstorable(value: unknown, pointer: string, faults: Fault[]): void {
  if (faults.length >= maxFaults) return;
  if (typeof value === "string") {
    const detail = unstorable(value);
    if (detail) faults.push({ pointer, detail });
    return;
  }
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const detail = unstorable(key);
    if (detail) faults.push({ pointer, detail: `A key here is not storable. ${detail}` });
    collectUnstorable(item, `${pointer}/${pointerToken(key)}`, faults);
  }
}

/** Why a text cannot be stored; undefined where it can. */
export function unstorable(text: string): string | undefined {
  if (text.includes("\0")) return "It contains U+0000, which cannot be stored.";
  return text.isWellFormed() ? undefined : "It contains half of a surrogate pair, which is not text.";
}

/** One reference token of a JSON pointer (RFC 6901), made well-formed so that the answer can always be sent. */
export const pointerToken = (key: string) => key.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1");
