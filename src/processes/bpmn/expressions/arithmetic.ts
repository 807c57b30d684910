/**
 * Calculates as JUEL does: null and an empty text count as 0, the text of a number is that number, and whole numbers
 * keep every digit, also beyond 2^53.
 */
import { ExpressionError } from "./expressionError.ts";

export type Numeric = number | bigint;

/** Whole numbers give exact results. A division has only the inexact one: JUEL always makes it a fraction. */
interface Arithmetic {
  readonly exactly?: (a: bigint, b: bigint) => bigint;
  readonly nearly: (a: number, b: number) => number;
}

const addition: Arithmetic = { exactly: (a, b) => a + b, nearly: (a, b) => a + b };
const subtraction: Arithmetic = { exactly: (a, b) => a - b, nearly: (a, b) => a - b };
const multiplication: Arithmetic = { exactly: (a, b) => a * b, nearly: (a, b) => a * b };
const division: Arithmetic = { nearly: (a, b) => a / b };
const remainder: Arithmetic = { exactly: (a, b) => a % b, nearly: (a, b) => a % b };

export const subtract = (left: unknown, right: unknown) => calculate(subtraction, left, right);
export const multiply = (left: unknown, right: unknown) => calculate(multiplication, left, right);
export const divide = (left: unknown, right: unknown) => calculate(division, left, right);
export const remainderOf = (left: unknown, right: unknown) => calculate(remainder, left, right);
export const negate = (value: unknown) => subtract(0, value);

/** Joins texts that are not numbers. JUEL refuses those, but models put the texts of timers together this way. */
export function add(left: unknown, right: unknown): unknown {
  const isText = [left, right].some((value) => typeof value === "string" && numeric(value) === undefined);
  if (isText && [left, right].every((value) => typeof value !== "object")) return join(left, right);
  return calculate(addition, left, right);
}

const longestJoined = 64 * 1024;

export function join(left: unknown, right: unknown): string {
  const [before, after] = [String(left), String(right)];
  if (before.length + after.length > longestJoined)
    throw new ExpressionError(`It joins texts to more than ${longestJoined} characters.`);
  return before + after;
}

function calculate({ exactly, nearly }: Arithmetic, left: unknown, right: unknown): Numeric {
  if ((left ?? null) === null && (right ?? null) === null) return 0;
  const [a, b] = [left, right].map(operandOf);
  if (a === undefined || b === undefined)
    throw new ExpressionError("It calculates with a value that is not a number.");
  if (!exactly || !isWhole(a) || !isWhole(b)) return nearly(Number(a), Number(b));
  const exact = exactly(BigInt(a), BigInt(b));
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

function operandOf(value: unknown): Numeric | undefined {
  if (typeof value !== "string") return numeric(value ?? 0);
  // A text of a million digits would take seconds to calculate with exactly.
  return value.length > 80 && whole.test(value) ? Number(value) : numeric(value);
}

const isWhole = (value: Numeric) =>
  typeof value === "bigint" ? value > -(2n ** 256n) && value < 2n ** 256n : Number.isSafeInteger(value);

const whole = /^[+-]?\d+$/;
/** As Java reads a Double. */
const fraction = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?$/;

/** The value of a number or of its text. An empty text is 0, as in JUEL. */
export function numeric(value: unknown): Numeric | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "string") return undefined;
  if (value === "") return 0;
  if (whole.test(value)) return wholeNumber(value);
  const text = value.trim();
  return fraction.test(text) ? Number(text.replace(/[fFdD]$/, "")) : undefined;
}

/** More than any double and any result of `calculate` has. */
const mostDigits = 400;

/** Exact if another number can be near it, else infinite: the time to make a bigint is quadratic in its digits. */
function wholeNumber(text: string): Numeric {
  const isNegative = text.startsWith("-");
  const digits = text.replace(/^[+-]?0*(?=\d)/, "");
  const size = digits.length <= mostDigits ? BigInt(digits) : Number.POSITIVE_INFINITY;
  return isNegative ? -size : size;
}
