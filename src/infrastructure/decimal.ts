/**
 * Decimal numbers as text, of any length, that never become a double. A text is read in one pass, because it may be as
 * long as a request: a pattern with captures took ten times as long.
 */

/** A number as JSON writes it. */
export const decimalGrammar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;

export interface Decimal {
  readonly negative: boolean;
  /** The index of the first digit that is not zero. */
  readonly firstAt: number;
  /** The number of digits from there to the last one that is not zero. 0 for zero. */
  readonly digits: number;
  /** The power of ten of the last such digit: 1200 is `12` and 2, 0.05 is `5` and -2. For zero as written: 0e7 is 7. */
  readonly exponent: number;
  /** The number of digits after the point, including trailing zeros: PostgreSQL keeps them. */
  readonly scale: number;
}

const zero = 0x30;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const lowerE = 0x65;

/** Reads a number of `decimalGrammar`. Undefined for any other text. */
export function parseDecimal(text: string): Decimal | undefined {
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

/** For longer runs the pattern is faster: it takes a tenth of the time for each digit, but some time to start. */
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

/** The last character before `end` that is neither a zero nor the point. */
function lastOther(text: string, end: number): number {
  let at = end - 1;
  while (text.charCodeAt(at) === zero || text.charCodeAt(at) === point) at--;
  return at;
}

/** The power of ten that follows the digits at `start`. 0 if nothing follows, undefined if something else does. */
function powerAt(text: string, start: number): number | undefined {
  if (start === text.length) return 0;
  if ((text.charCodeAt(start) | 0x20) !== lowerE) return undefined;
  const sign = text.charCodeAt(start + 1);
  const from = start + (sign === minus || sign === plus ? 2 : 1);
  const end = endOfDigits(text, from);
  if (end === from || end !== text.length) return undefined;
  const first = firstOther(text, from, end);
  // A double is exact up to 15 digits. A longer power is beyond every bound.
  const power = end - first > 15 ? Number.POSITIVE_INFINITY : Number(text.slice(first, end));
  return sign === minus ? -power : power;
}

/** Characters. A longer text is a small integer only if it is padded with zeros that mean nothing. */
const longestInteger = 400_000;

/** The integer that a number's text means, also of `1e3` and `2.0`. Undefined for a fraction or more than 19 digits. */
export function integerOf(text: string): bigint | undefined {
  const decimal = text.length <= longestInteger ? parseDecimal(text) : undefined;
  if (!decimal) return undefined;
  const { negative, firstAt, digits, exponent } = decimal;
  if (digits === 0) return 0n;
  if (exponent < 0 || digits + exponent > 19) return undefined;
  const written = text.slice(firstAt, firstAt + digits + 1).replace(".", "");
  const magnitude = BigInt(written.slice(0, digits) + "0".repeat(exponent));
  return negative ? -magnitude : magnitude;
}
