/**
 * Compares as JUEL does. Dates are moments. Null has no order: `<` and `>` with null are false. A value beside a number
 * is read as a number, beside a boolean as a boolean, and beside a text as a text.
 */
import { isDeepStrictEqual } from "node:util";
import { numeric } from "./arithmetic.ts";
import { ExpressionError } from "./expressionError.ts";

export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isNull(left) || isNull(right)) return isNull(left) && isNull(right);
  const pair = [left, right];
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint are compared by value.
  if (pair.some(isNumber)) return numberOf(left) == numberOf(right);
  if (pair.some(isBoolean)) return truthOf(left) === truthOf(right);
  if (pair.some(isText)) return textOf(left) === textOf(right);
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  return isDeepStrictEqual(left, right);
}

/** Negative, 0 or positive. Undefined if one of them is null and the other is not. */
export function compare(left: unknown, right: unknown): number | undefined {
  if (isNull(left) || isNull(right)) return isNull(left) && isNull(right) ? 0 : undefined;
  const pair = [left, right];
  if (pair.some(isNumber)) return order(numberOf(left), numberOf(right));
  if (pair.some(isText)) return order(orderedText(left), orderedText(right));
  if (pair.every(isBoolean)) return order(Number(left), Number(right));
  if (left instanceof Date && right instanceof Date) return order(left.getTime(), right.getTime());
  throw new ExpressionError("It compares values that have no order, such as lists.");
}

/** Null and an empty text are false, and any other text is true if it is `true` in any case. Throws for all else. */
export function truthOf(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  if (isNull(value)) return false;
  if (typeof value === "string") return value.length === "true".length && value.toLowerCase() === "true";
  throw new ExpressionError("The operand of a logical operator is neither true nor false.");
}

const isNull = (value: unknown): value is null | undefined => value === null || value === undefined;
const isText = (value: unknown) => typeof value === "string";
const isBoolean = (value: unknown) => typeof value === "boolean";
const isNumber = (value: unknown) => typeof value === "number" || typeof value === "bigint";

const order = <T extends number | bigint | string>(a: T, b: T): number => (a < b ? -1 : Number(a > b));

function numberOf(value: unknown): number | bigint {
  const number = numeric(value);
  if (number === undefined) throw new ExpressionError("It compares a number with a value that is not one.");
  return number;
}

function orderedText(value: unknown): string {
  const text = textOf(value);
  if (text === undefined) throw new ExpressionError("It compares a text with a list or an object.");
  return text;
}

/** The text that JUEL compares a text with. Undefined for a list or an object, which no text equals. */
function textOf(value: unknown): string | undefined {
  if (value instanceof Date) return javaText(value);
  return typeof value === "string" || typeof value === "boolean" ? String(value) : undefined;
}

/** As Java writes a date in UTC: `Wed Dec 31 23:00:00 UTC 2025`. JUEL compares a date with a text by it. */
function javaText(date: Date): string {
  const [weekday = "", day, month, year, time] = date.toUTCString().split(" ");
  return `${weekday.replace(",", "")} ${month} ${day} ${time} UTC ${year}`;
}
