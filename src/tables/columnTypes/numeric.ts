import { type Decimal, parseDecimal } from "../../infrastructure/decimal.ts";
import { numberText } from "../../infrastructure/json.ts";
import type { ColumnType } from "./columnType.ts";

/** A decimal of any precision. Answers have it as a string, with every digit that was given. */
export const numeric: ColumnType = {
  sqlType: "numeric",
  takes: "a number, or a decimal string, with at most 131072 digits before the point and 16383 after it",
  accepts: (value) => {
    if (isPlain(value)) return true;
    const text = decimalText(value);
    const decimal = text.length <= longest ? parseDecimal(text) : undefined;
    return decimal !== undefined && fitsNumeric(decimal);
  },
  fromFilter: (text) => text,
  toText: decimalText,
  growth: (value) => (isPlain(value) ? 0 : growthOf(decimalText(value))),
  maxBytes: 150_000,
  toAnswer: (column) => `${column}::text`,
};

/** Characters. A longer text is a number that PostgreSQL can hold only if it is padded with zeros that mean nothing. */
const longest = 400_000;

/** A short decimal string: the common case, which one pattern recognises. */
const isPlain = (value: unknown) =>
  typeof value === "string" && /^-?(0|[1-9]\d{0,99})(\.\d{1,99})?$/.test(value);

function decimalText(value: unknown): string {
  return typeof value === "string" ? value : (numberText(value) ?? "");
}

/** Whether PostgreSQL's numeric holds every digit: 131,072 before the point and 16,383 after it. */
export function fitsNumeric({ digits, exponent, scale }: Decimal): boolean {
  return digits + exponent <= 131_072 && scale <= 16_383;
}

/** By how many characters a number becomes longer when PostgreSQL writes it without a power of ten. */
export function growthOf(text: string, decimal = parseDecimal(text)): number {
  if (!decimal) return 0;
  const { negative, digits, exponent, scale } = decimal;
  const written = Number(negative) + Math.max(1, digits + exponent) + (scale && scale + 1);
  return Math.max(0, written - text.length);
}
