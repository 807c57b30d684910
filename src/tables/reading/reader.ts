/**
 * Takes the text of a parameter such as `$filter` apart into tokens, for parsers that read them one after the other.
 * Each character is read once.
 */
import { Problem, type ProblemCode } from "../../infrastructure/problem.ts";

/**
 * Names such as `branch`, `eq` and `contains` are words. Signs are parentheses, commas, slashes, `$it` and `$count`.
 */
export type TokenType = "word" | "string" | "number" | "date" | "timestamp" | "sign" | "end";

export interface Token {
  readonly type: TokenType;
  /** The value of a string, without its quotes. The characters themselves for anything else. */
  readonly text: string;
  /** The index of its first character. */
  readonly at: number;
}

export class Reader {
  readonly #tokens: readonly Token[];
  #next = 0;

  /** `parameter` is the name for the pointer of faults: `$filter`. */
  constructor(
    readonly text: string,
    readonly parameter: string,
  ) {
    this.#tokens = tokensOf(text, (at, sentence) => this.fault(at, sentence));
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)] as Token;
  }

  next(): Token {
    const token = this.peek();
    this.#next++;
    return token;
  }

  /** The next token if it is this sign. */
  accept(sign: string): Token | undefined {
    const { type, text } = this.peek();
    return type === "sign" && text === sign ? this.next() : undefined;
  }

  expect(sign: string, expected = `"${sign}"`): Token {
    return this.accept(sign) ?? this.fail(expected);
  }

  /** The next token if it is one of these words, in lower case. OData does not distinguish cases in its own words. */
  acceptWord<Word extends string>(...words: readonly Word[]): Word | undefined {
    const { type, text } = this.peek();
    if (type !== "word") return undefined;
    const word = words.find((word) => word === text.toLowerCase());
    if (word) this.next();
    return word;
  }

  /** Throws 400 with the place of the token, what was expected there and what was found. */
  fail(expected: string, token = this.peek()): never {
    throw this.fault(token.at, `expected ${expected}, found ${found(token)}.`);
  }

  /** A problem with the place, counted in characters from 1, as a person counts them. */
  fault(at: number, sentence: string, code: ProblemCode = "invalid_parameter"): Problem {
    const position = [...this.text.slice(0, at)].length + 1;
    const detail = `At character ${position}: ${sentence}`;
    return new Problem(code, { errors: [{ pointer: `/query/${this.parameter}`, detail }] });
  }
}

const shortest = (text: string) => (text.length <= 40 ? text : `${text.slice(0, 40).toWellFormed()}…`);

function found({ type, text }: Token): string {
  if (type === "end") return "the end";
  return type === "string" ? `'${shortest(text)}'` : `"${shortest(text)}"`;
}

/** Tried in this order at each place. None of them can go back over what it has read. */
const grammar: readonly (readonly [TokenType, RegExp])[] = [
  ["timestamp", /\d{4}-\d{2}-\d{2}[Tt][\d:.]*(?:[Zz]|[+-]\d{2}:\d{2})?/y],
  ["date", /\d{4}-\d{2}-\d{2}/y],
  ["number", /[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ["word", /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy],
  ["sign", /[(),/]|\$it|\$count/y],
];

const blanks = /[ \t\r\n]*/y;
/** What may not follow a number or a date without a blank. */
const wordLike = /[\p{L}\p{N}_.:+'-]/uy;

function tokensOf(text: string, fault: (at: number, sentence: string) => Problem): Token[] {
  const tokens: Token[] = [];
  for (let at = endOf(blanks, text, 0); at < text.length; ) {
    const { token, end } = text[at] === "'" ? readString(text, at, fault) : readToken(text, at, fault);
    tokens.push(token);
    at = endOf(blanks, text, end);
  }
  return [...tokens, { type: "end", text: "", at: text.length }];
}

type Read = { readonly token: Token; readonly end: number };

function readToken(text: string, at: number, fault: (at: number, sentence: string) => Problem): Read {
  for (const [type, pattern] of grammar) {
    const end = endOf(pattern, text, at);
    if (end === at) continue;
    if (type === "timestamp" && !/([Zz]|[+-]\d{2}:\d{2})$/.test(text.slice(at, end)))
      throw fault(end, 'expected "Z" or an offset such as "+07:00" (in a URL, "+" is written %2B).');
    const isValue = type === "number" || type === "date" || type === "timestamp";
    if (isValue && endOf(wordLike, text, end) > end)
      throw fault(end, `expected a blank, a comma or ")" after ${shortest(text.slice(at, end))}.`);
    return { token: { type, text: text.slice(at, end), at }, end };
  }
  const [character = ""] = text.slice(at, at + 2);
  throw fault(
    at,
    `expected a column, a value, a word such as "eq", or "(", found ${JSON.stringify(character)}.`,
  );
}

/** A string in single quotes. A quote inside of it is doubled. */
function readString(text: string, at: number, fault: (at: number, sentence: string) => Problem): Read {
  for (let close = at + 1; ; close += 2) {
    close = text.indexOf("'", close);
    if (close === -1) throw fault(text.length, "expected the quote that ends the string, found the end.");
    if (text[close + 1] === "'") continue;
    const value = text.slice(at + 1, close).replaceAll("''", "'");
    if (value.includes("\0") || !value.isWellFormed()) throw fault(at, "expected a string without U+0000.");
    return { token: { type: "string", text: value, at }, end: close + 1 };
  }
}

/** Where a sticky pattern ends that begins at `at`. `at` itself if it does not match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
