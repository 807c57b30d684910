/**
 * Recognises the usual spelling of a value in bytes, for the millions of cells of an import. Whatever is not recognised
 * here is read as a text by its column type (columnTypes/), which decides.
 */
import type { ColumnType as ColumnTypeName } from "../../generated/schemas.ts";

/** Whether the bytes from `start` to `end` are a value of the type, spelled so that PostgreSQL takes it unchanged. */
type IsPlain = (bytes: Uint8Array, start: number, end: number) => boolean;

const zero = 0x30;
const nine = 0x39;
const minus = 0x2d;
const dot = 0x2e;
const comma = 0x2c;
const colon = 0x3a;
const upperT = 0x54;
const upperZ = 0x5a;

const digitAt = (bytes: Uint8Array, at: number) => (bytes[at] as number) - zero;

/** The index after the digits that begin at `start`. */
function endOfDigits(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && (bytes[at] as number) >= zero && (bytes[at] as number) <= nine) at++;
  return at;
}

/** Digits without a leading zero, at most `most`. */
function isWhole(bytes: Uint8Array, start: number, end: number, most: number): boolean {
  const from = bytes[start] === minus ? start + 1 : start;
  const digits = end - from;
  if (digits < 1 || digits > most || (digits > 1 && bytes[from] === zero)) return false;
  return endOfDigits(bytes, from, end) === end;
}

const isInteger: IsPlain = (bytes, start, end) => isWhole(bytes, start, end, 9);
const isBigint: IsPlain = (bytes, start, end) => isWhole(bytes, start, end, 18);

const isDecimalWith =
  (point: number): IsPlain =>
  (bytes, start, end) => {
    const from = bytes[start] === minus ? start + 1 : start;
    const whole = endOfDigits(bytes, from, end);
    if (whole === from || end - start > 100 || (whole - from > 1 && bytes[from] === zero)) return false;
    if (whole === end) return true;
    return bytes[whole] === point && whole + 1 < end && endOfDigits(bytes, whole + 1, end) === end;
  };

const isTrue = [0x74, 0x72, 0x75, 0x65];
const isFalse = [0x66, 0x61, 0x6c, 0x73, 0x65];
const isWord = (bytes: Uint8Array, start: number, word: readonly number[]) =>
  word.every((byte, index) => bytes[start + index] === byte);
const isBoolean: IsPlain = (bytes, start, end) =>
  end - start === 4 ? isWord(bytes, start, isTrue) : end - start === 5 && isWord(bytes, start, isFalse);

const areDigits = (bytes: Uint8Array, start: number, end: number) => endOfDigits(bytes, start, end) === end;
const twoAt = (bytes: Uint8Array, at: number) => 10 * digitAt(bytes, at) + digitAt(bytes, at + 1);

/** A day up to the 28th of a year from 1000 on. The others are rare enough. */
const isDate: IsPlain = (bytes, start, end) => {
  if (end - start !== 10 || bytes[start + 4] !== minus || bytes[start + 7] !== minus) return false;
  if (!areDigits(bytes, start, start + 4) || bytes[start] === zero) return false;
  if (!areDigits(bytes, start + 5, start + 7) || !areDigits(bytes, start + 8, end)) return false;
  const [month, day] = [twoAt(bytes, start + 5), twoAt(bytes, start + 8)];
  return month >= 1 && month <= 12 && day >= 1 && day <= 28;
};

/** Such as `2026-09-04T08:15:30.123456Z`: what an export has. */
const isMoment: IsPlain = (bytes, start, end) => {
  const last = end - 1;
  if (end - start < 20 || end - start > 27 || bytes[last] !== upperZ || bytes[start + 10] !== upperT)
    return false;
  // In the year 9999 and before 1000, the type decides.
  if (!isDate(bytes, start, start + 10) || (bytes[start] === nine && bytes[start + 1] === nine)) return false;
  if (bytes[start + 13] !== colon || bytes[start + 16] !== colon) return false;
  for (const at of [11, 14, 17]) if (!areDigits(bytes, start + at, start + at + 2)) return false;
  if (twoAt(bytes, start + 11) > 23 || twoAt(bytes, start + 14) > 59 || twoAt(bytes, start + 17) > 59)
    return false;
  if (last === start + 19) return true;
  return bytes[start + 19] === dot && last > start + 20 && areDigits(bytes, start + 20, last);
};

const never: IsPlain = () => false;

export const plainCells = (decimalComma: boolean): Readonly<Record<ColumnTypeName, IsPlain>> => ({
  text: never,
  jsonb: never,
  integer: isInteger,
  bigint: isBigint,
  numeric: isDecimalWith(decimalComma ? comma : dot),
  boolean: isBoolean,
  date: isDate,
  timestamp: isMoment,
});
