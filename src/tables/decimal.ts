/** Decimal numbers as text, of any length, without ever becoming a double. */

export interface Decimal {
  readonly negative: boolean;
  /** Without leading or trailing zeros; empty for zero. */
  readonly digits: string;
  /** The power of ten of the last digit: 1200 is `12` and 2, 0.05 is `5` and -2. As written for zero: 0e7 is 7. */
  readonly exponent: number;
  /** Digits after the point as it was written, trailing zeros included: PostgreSQL keeps them. */
  readonly scale: number;
}

const grammar = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Reads a number as JSON writes it. Undefined for anything else. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = grammar.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = match;
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = withoutZerosAtEnd(all);
  const shift = Number(power) - fraction.length;
  return {
    negative: sign === "-",
    digits,
    exponent: shift + all.length - digits.length,
    scale: Math.max(0, -shift),
  };
}

/** By hand: `/0+$/` takes quadratic time on a number with many zeros inside. */
function withoutZerosAtEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === "0") end--;
  return text.slice(0, end);
}

/** The integer that a decimal is; undefined where it has a fraction or more than 19 digits. */
export function integerOf({ negative, digits, exponent }: Decimal): bigint | undefined {
  if (digits === "") return 0n;
  if (exponent < 0 || digits.length + exponent > 19) return undefined;
  const magnitude = BigInt(digits + "0".repeat(exponent));
  return negative ? -magnitude : magnitude;
}

/** How many characters a number has more where PostgreSQL writes it out, without a power of ten, than in `text`. */
export function growthOf(text: string): number {
  const decimal = parseDecimal(text);
  if (!decimal) return 0;
  const { negative, digits, exponent, scale } = decimal;
  const written = Number(negative) + Math.max(1, digits.length + exponent) + (scale && scale + 1);
  return Math.max(0, written - text.length);
}

/** Whether PostgreSQL's numeric holds every digit: 131,072 before the point and 16,383 after it. */
export function fitsNumeric({ digits, exponent, scale }: Decimal): boolean {
  return digits.length + exponent <= 131_072 && scale <= 16_383;
}
