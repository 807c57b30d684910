/**
 * Decimal numbers as text, of any length, without ever becoming a double. One pass over the text, which may be as long
 * as a request: patterns with captures took ten times as long.
 */

export interface Decimal {
  readonly negative: boolean;
  /** Where the first digit other than zero is. */
  readonly firstAt: number;
  /** How many digits there are from that one to the last other than zero; 0 for zero. */
  readonly digits: number;
  /** The power of ten of the last digit: 1200 is `12` and 2, 0.05 is `5` and -2. As written for zero: 0e7 is 7. */
  readonly exponent: number;
  /** Digits after the point as it was written, trailing zeros included: PostgreSQL keeps them. */
  readonly scale: number;
}

const zero = 0x30;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const lowerE = 0x65;

/** More characters than any number that PostgreSQL holds has, unless it is written with zeros that mean nothing. */
const longest = 400_000;

/** Reads a number as JSON writes it. Undefined for anything else, and for a text of more than 400,000 characters. */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > longest) return undefined;
  const negative = text.charCodeAt(0) === minus;
  const start = negative ? 1 : 0;
  const pointAt = endOfDigits(text, start);
  if (pointAt === start || (pointAt > start + 1 && text.charCodeAt(start) === zero)) return undefined;
  const hasPoint = text.charCodeAt(pointAt) === point;
  const end = hasPoint ? endOfDigits(text, pointAt + 1) : pointAt;
  const fraction = hasPoint ? end - pointAt - 1 : 0;
  if (hasPoint && fraction === 0) return undefined;
  const power = powerAt(text, end);
  if (power === undefined) return undefined;
  const shift = power - fraction;
  const firstAt = firstOther(text, start, end);
  const scale = Math.max(0, -shift);
  if (firstAt === end) return { negative, firstAt, digits: 0, exponent: shift, scale };
  const lastAt = lastOther(text, end);
  const zerosAtEnd = end - 1 - lastAt - (hasPoint && lastAt < pointAt ? 1 : 0);
  const digits = lastAt - firstAt + 1 - (hasPoint && firstAt < pointAt && pointAt < lastAt ? 1 : 0);
  return { negative, firstAt, digits, exponent: shift + zerosAtEnd, scale };
}

/** Beyond so many digits the pattern is quicker: it takes a tenth of the time for each, and some time to begin. */
const shortRun = 40;
const digitRun = /[0-9]*/y;

function endOfDigits(text: string, start: number): number {
  let end = start;
  for (let char = text.charCodeAt(end); char >= zero && char <= zero + 9; ) {
    char = text.charCodeAt(++end);
    if (end - start < shortRun) continue;
    digitRun.lastIndex = end;
    digitRun.test(text);
    return digitRun.lastIndex;
  }
  return end;
}

/** The first character from `start` on that is neither a zero nor the point. */
function firstOther(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && (text.charCodeAt(at) === zero || text.charCodeAt(at) === point)) at++;
  return at;
}

function lastOther(text: string, end: number): number {
  let at = end - 1;
  while (text.charCodeAt(at) === zero || text.charCodeAt(at) === point) at--;
  return at;
}

/** The power of ten with which a number's text ends at `start`: 0 without one, undefined where something else follows. */
function powerAt(text: string, start: number): number | undefined {
  if (start === text.length) return 0;
  if ((text.charCodeAt(start) | 0x20) !== lowerE) return undefined;
  const sign = text.charCodeAt(start + 1);
  const from = start + (sign === minus || sign === plus ? 2 : 1);
  const end = endOfDigits(text, from);
  if (end === from || end !== text.length) return undefined;
  const first = firstOther(text, from, end);
  // Of more digits no number can be told apart.
  const power = end - first > 15 ? Number.POSITIVE_INFINITY : Number(text.slice(first, end));
  return sign === minus ? -power : power;
}

/** The integer that a number's text means; undefined where it has a fraction or more than 19 digits. */
export function integerOf(text: string): bigint | undefined {
  const decimal = parseDecimal(text);
  if (!decimal) return undefined;
  const { negative, firstAt, digits, exponent } = decimal;
  if (digits === 0) return 0n;
  if (exponent < 0 || digits + exponent > 19) return undefined;
  const written = text.slice(firstAt, firstAt + digits + 1).replace(".", "");
  const magnitude = BigInt(written.slice(0, digits) + "0".repeat(exponent));
  return negative ? -magnitude : magnitude;
}

/** How many characters a number has more where PostgreSQL writes it out, without a power of ten, than in `text`. */
export function growthOf(text: string, decimal = parseDecimal(text)): number {
  if (!decimal) return 0;
  const { negative, digits, exponent, scale } = decimal;
  const written = Number(negative) + Math.max(1, digits + exponent) + (scale && scale + 1);
  return Math.max(0, written - text.length);
}

/** Whether PostgreSQL's numeric holds every digit: 131,072 before the point and 16,383 after it. */
export function fitsNumeric({ digits, exponent, scale }: Decimal): boolean {
  return digits + exponent <= 131_072 && scale <= 16_383;
}
