/**
 * A parser for JSON that loses nothing and can pause between two values, so that a large text does not block everything
 * else. It goes through the text once, in linear time, whatever the text contains.
 */
import { decimalGrammar } from "./decimal.ts";
import { type Fault, maxFaults, Problem } from "./problem.ts";

/** Nested arrays and objects. Deeper than any real document. */
export const maxDepth = 128;
/** Values of one text. A body of 32 MiB has more only if they are nearly empty. */
const maxValues = 4_000_000;
/** Objects and arrays of one text. Each takes about 200 bytes of memory, but `{},` only three bytes of text. */
const maxContainers = 1_000_000;
/**
 * Numbers of one text that a double cannot hold as written. `JSON.stringify` takes a microsecond for each, without a
 * pause.
 */
const maxExactNumbers = 300_000;
/** Members of one object. */
const maxMembers = 1_000_000;
/** Characters of a number. A numeric of PostgreSQL has at most 147,455 digits. */
const maxNumberLength = 200_000;

type Container = unknown[] | Record<string, unknown>;

/** An open array or object. `key` is the key whose value comes next. */
interface Frame {
  readonly container: Container;
  key: string | undefined;
  members: number;
}

/** Values between two readings of the clock. One reading takes about as long as one value. */
const valuesPerLook = 256;
/** This many characters of a long string count as one value, so that a turn ends soon after it. */
const charactersPerValue = 4_096;

export class JsonParser {
  /** The result, once `step` has returned true. */
  value: unknown;
  readonly #text: string;
  #at = 0;
  #values = 0;
  #containers = 0;
  #exactNumbers = 0;
  readonly #stack: Frame[] = [];
  readonly #faults: Fault[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads on until the end of the text (true), or until the time `until` of `performance.now()` (false). */
  step(until: number): boolean {
    for (let left = valuesPerLook; ; ) {
      const before = this.#at;
      if (this.#readValue()) return this.#end();
      left -= 1 + (this.#at - before) / charactersPerValue;
      if (left > 0) continue;
      if (performance.now() >= until) return false;
      left = valuesPerLook;
    }
  }

  /** Reads one value, or opens one container, and closes containers that end after it. True if all is read. */
  #readValue(): boolean {
    const text = this.#text;
    this.#skipSpace();
    if (++this.#values > maxValues) throw tooMany(maxValues, "values");
    const char = text.charCodeAt(this.#at);
    if (char === 0x7b || char === 0x5b) return this.#open(char === 0x7b);
    return this.#add(this.#readScalar(char));
  }

  #open(isObject: boolean): boolean {
    if (this.#stack.length >= maxDepth)
      throw new Problem("invalid_json", { message: `The body nests deeper than ${maxDepth} levels.` });
    if (++this.#containers > maxContainers) throw tooMany(maxContainers, "objects and arrays");
    this.#at++;
    this.#skipSpace();
    const container = isObject ? {} : [];
    if (this.#text.charCodeAt(this.#at) === (isObject ? 0x7d : 0x5d)) {
      this.#at++;
      return this.#add(container);
    }
    const frame: Frame = { container, key: undefined, members: 0 };
    this.#stack.push(frame);
    if (isObject) this.#readKey(frame);
    return false;
  }

  /** Puts a value into its container and reads what follows it, up to the next value. */
  #add(value: unknown): boolean {
    let whole = value;
    for (;;) {
      const frame = this.#stack.at(-1);
      if (frame === undefined) {
        this.value = whole;
        return true;
      }
      if (frame.key === undefined) (frame.container as unknown[]).push(whole);
      else setMember(frame.container as Record<string, unknown>, frame.key, whole);
      this.#skipSpace();
      const char = this.#text.charCodeAt(this.#at++);
      if (char === 0x2c) {
        if (frame.key !== undefined) this.#readKey(frame);
        return false;
      }
      if (char !== (frame.key === undefined ? 0x5d : 0x7d)) throw this.#syntaxError(this.#at - 1);
      this.#stack.pop();
      whole = frame.container;
    }
  }

  /** Reads a key and its colon. */
  #readKey(frame: Frame): void {
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== quote) throw this.#syntaxError();
    frame.key = undefined;
    const key = this.#readString((detail) => `A key here is not storable. ${detail}`);
    if (Object.hasOwn(frame.container, key)) throw duplicateKey(key);
    if (++frame.members > maxMembers) throw tooMany(maxMembers, "members in one object");
    frame.key = key;
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at++) !== 0x3a) throw this.#syntaxError(this.#at - 1);
  }

  #readScalar(char: number): unknown {
    if (char === quote) return this.#readString((detail) => detail);
    if (char === 0x2d || (char >= 0x30 && char <= 0x39)) return this.#readNumber();
    for (const [word, value] of words)
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    throw this.#syntaxError();
  }

  #readNumber(): unknown {
    numberPattern.lastIndex = this.#at;
    if (!numberPattern.test(this.#text)) throw this.#syntaxError();
    const token = this.#text.slice(this.#at, numberPattern.lastIndex);
    if (token.length > maxNumberLength)
      throw new Problem("invalid_json", { message: `A number has more than ${maxNumberLength} characters.` });
    this.#at = numberPattern.lastIndex;
    if (isDouble(token)) return Number(token);
    if (++this.#exactNumbers > maxExactNumbers) throw tooMany(maxExactNumbers, "numbers such as 1.10");
    return JSON.rawJSON(token);
  }

  #readString(describe: (detail: string) => string): string {
    plainString.lastIndex = this.#at;
    if (plainString.test(this.#text)) {
      const start = this.#at + 1;
      this.#at = plainString.lastIndex;
      return this.#text.slice(start, this.#at - 1);
    }
    const end = endOfString(this.#text, this.#at) + 1;
    const value = this.#unescape(this.#text.slice(this.#at, end));
    const detail = unstorable(value);
    if (detail !== undefined && this.#faults.length < maxFaults)
      this.#faults.push({ pointer: this.#pointer(), detail: describe(detail) });
    this.#at = end;
    return value;
  }

  #unescape(token: string): string {
    try {
      return JSON.parse(token);
    } catch {
      throw this.#syntaxError();
    }
  }

  #skipSpace(): void {
    const text = this.#text;
    for (let char = text.charCodeAt(this.#at); isSpace(char); char = text.charCodeAt(this.#at)) this.#at++;
  }

  #end(): true {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#syntaxError();
    if (this.#faults.length > 0) throw new Problem("invalid_body", { errors: this.#faults });
    return true;
  }

  /** The pointer of the value that is being read. */
  #pointer(): string {
    return this.#stack.map(pointerOf).join("");
  }

  #syntaxError(at = this.#at): Problem {
    const what = this.#text.trim() === "" ? ": it is empty" : ` at character ${at + 1}`;
    return new Problem("invalid_json", { message: `The body is not valid JSON${what}.` });
  }
}

export const quote = 0x22;
const backslash = 0x5c;

const isSpace = (char: number) => char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;

const words: readonly (readonly [string, unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

const numberPattern = new RegExp(decimalGrammar, "y");
/** A string without escapes, as nearly all are. */
const plainString = /"[^"\\\0-\x1f]*"/y;

/** JavaScript writes no number with more characters. */
const longestDouble = 25;

/** Whether JavaScript writes the number exactly like this text. */
export const isDouble = (token: string) => token.length <= longestDouble && String(Number(token)) === token;

/** Sets a member. An assignment to `__proto__` would set the prototype, but it is a member like any other. */
function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** One token of a pointer. Empty for an object whose next key is being read. */
function pointerOf({ container, key }: Frame): string {
  if (key !== undefined) return `/${pointerToken(key)}`;
  return Array.isArray(container) ? `/${container.length}` : "";
}

const tooMany = (most: number, what: string) =>
  new Problem("invalid_json", {
    message: `The body has more than ${most} ${what}. Send it in several requests.`,
  });

const duplicateKey = (key: string) =>
  new Problem("invalid_json", {
    message: `The key ${JSON.stringify(key.slice(0, 100))} appears twice in one object.`,
  });

/** The index of the closing quote of the string that begins at `start`, or of the end of the text. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Why a text cannot be stored. Undefined if it can. */
export function unstorable(text: string): string | undefined {
  if (text.includes("\0")) return "It contains U+0000, which cannot be stored.";
  return text.isWellFormed() ? undefined : "It contains half of a surrogate pair, which is not text.";
}

/** One token of a JSON pointer (RFC 6901). Made well-formed, so that the answer can always be sent. */
export const pointerToken = (key: string) => key.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1");
