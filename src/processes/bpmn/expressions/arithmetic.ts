/**
 * Calculating and comparing as JUEL does: null counts as 0, the text of a number is that number, and whole numbers keep
 * every digit, also beyond 2^53.
 */
import { ExpressionError } from "./expressionError.ts";

type Numeric = number | bigint;

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

function join(left: unknown, right: unknown): string {
  const [before, after] = [String(left), String(right)];
  if (before.length + after.length > longestJoined)
    throw new ExpressionError(`It joins texts to more than ${longestJoined} characters.`);
  return before + after;
}

function calculate({ exactly, nearly }: Arithmetic, left: unknown, right: unknown): Numeric {
  const [a, b] = [left, right].map(operandOf);
  if (a === undefined || b === undefined)
    throw new ExpressionError("It calculates with a value that is not a number.");
  if (!exactly || !isWhole(a) || !isWhole(b)) return nearly(Number(a), Number(b));
  const exact = exactly(BigInt(a), BigInt(b));
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

const decimal = /^-?\d+(\.\d+)?$/;

function operandOf(value: unknown): Numeric | undefined {
  if (typeof value !== "string") return numeric(value ?? 0);
  // A text of a million digits would take seconds to calculate with exactly.
  return value.length > 80 && decimal.test(value) ? Number(value) : numeric(value);
}

const isWhole = (value: Numeric) =>
  typeof value === "bigint" ? value > -(2n ** 256n) && value < 2n ** 256n : Number.isSafeInteger(value);

/** A text next to a boolean is read as a boolean, as in JUEL: `true` in any case is true, all else is false. */
export function isSame(left: unknown, right: unknown): boolean {
  if (typeof left === "boolean" && typeof right === "string")
    return left === (right.length === "true".length && right.toLowerCase() === "true");
  if (typeof left === "string" && typeof right === "boolean") return isSame(right, left);
  if (typeof left === "string" && typeof right === "string") return left === right;
  const [a, b] = [numeric(left), numeric(right)];
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint are compared by value.
  if (a !== undefined && b !== undefined) return a == b;
  return (left ?? null) === (right ?? null);
}

/** Negative, 0 or positive. Texts are ordered as texts, anything else as numbers. */
export function compare(left: unknown, right: unknown): number {
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : Number(left > right);
  const [a, b] = [numeric(left), numeric(right)];
  if (a === undefined || b === undefined)
    throw new ExpressionError("It compares values that have no order, such as a text and null.");
  return a < b ? -1 : Number(a > b);
}

/** The value of a number or of its text. */
function numeric(value: unknown): Numeric | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "string" || !decimal.test(value)) return undefined;
  return value.includes(".") ? Number(value) : wholeNumber(value);
}

/** More than any double and any result of `calculate` has. */
const mostDigits = 400;

/** Exact if another number can be near it, else infinite: the time to make a bigint is quadratic in its digits. */
function wholeNumber(text: string): Numeric {
  if (text.length <= mostDigits) return BigInt(text);
  const isNegative = text.startsWith("-");
  const digits = text.slice(Number(isNegative)).replace(/^0+/, "");
  const size = digits.length <= mostDigits ? BigInt(digits) : Number.POSITIVE_INFINITY;
  return isNegative ? -size : size;
}
