/** The operators of expressions: JUEL's, and three more (`in`, `//`, `^`). */
import { add, compare, divide, isSame, multiply, negate, remainderOf, subtract } from "./arithmetic.ts";
import { ExpressionError } from "./expressionError.ts";

export interface BinaryOperator {
  /** A higher one binds tighter. Operators of one precedence are evaluated from left to right. */
  readonly precedence: number;
  readonly apply: (left: unknown, right: unknown) => unknown;
}

export interface LogicalOperator {
  readonly precedence: number;
  /** The value of the left side that decides. The right side is then not evaluated. */
  readonly decidedBy: boolean;
}

export const unaryOperators: ReadonlyMap<string, (value: unknown) => unknown> = new Map<
  string,
  (value: unknown) => unknown
>([
  ["-", negate],
  ["!", isNot],
  ["not", isNot],
  ["empty", isEmpty],
]);

const or: LogicalOperator = { precedence: 1, decidedBy: true };
const and: LogicalOperator = { precedence: 2, decidedBy: false };

export const logicalOperators: ReadonlyMap<string, LogicalOperator> = new Map([
  ["||", or],
  ["or", or],
  ["&&", and],
  ["and", and],
]);

const equal: BinaryOperator = { precedence: 3, apply: isSame };
const unequal: BinaryOperator = { precedence: 3, apply: (left, right) => !isSame(left, right) };
const greater: BinaryOperator = { precedence: 3, apply: (left, right) => compare(left, right) > 0 };
const less: BinaryOperator = { precedence: 3, apply: (left, right) => compare(left, right) < 0 };
const atLeast: BinaryOperator = { precedence: 3, apply: (left, right) => compare(left, right) >= 0 };
const atMost: BinaryOperator = { precedence: 3, apply: (left, right) => compare(left, right) <= 0 };
const quotient: BinaryOperator = { precedence: 5, apply: divide };
const modulo: BinaryOperator = { precedence: 5, apply: remainderOf };

export const binaryOperators: ReadonlyMap<string, BinaryOperator> = new Map([
  ["==", equal],
  ["eq", equal],
  ["!=", unequal],
  ["ne", unequal],
  [">", greater],
  ["gt", greater],
  ["<", less],
  ["lt", less],
  [">=", atLeast],
  ["ge", atLeast],
  ["<=", atMost],
  ["le", atMost],
  ["in", { precedence: 3, apply: isIn }],
  ["+", { precedence: 4, apply: add }],
  ["-", { precedence: 4, apply: subtract }],
  ["*", { precedence: 5, apply: multiply }],
  ["/", quotient],
  ["div", quotient],
  ["%", modulo],
  ["mod", modulo],
  ["//", { precedence: 5, apply: floorOfQuotient }],
  ["^", { precedence: 6, apply: power }],
]);

/** Throws `ExpressionError` for a value that is neither a boolean nor null. */
export function truthOf(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  if (value === null) return false;
  throw new ExpressionError("The operand of a logical operator is neither true nor false.");
}

function isNot(value: unknown): boolean {
  return !truthOf(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (typeof value !== "object") return false;
  // Ends at the first member. `Object.keys` would list all members of a large object.
  for (const _ in value) return false;
  return true;
}

/** Whether a text contains the value, or a list has it as an item. */
function isIn(value: unknown, container: unknown): boolean {
  if (typeof container === "string") return container.includes(String(value));
  return Array.isArray(container) && container.some((item) => item === value);
}

/** With JavaScript's numbers. A bigint is refused with an error. */
function floorOfQuotient(left: unknown, right: unknown): number {
  return Math.floor((left as number) / (right as number));
}

/** With JavaScript's numbers. A bigint is refused with an error: its power could take all memory. */
function power(left: unknown, right: unknown): number {
  // biome-ignore lint/style/useExponentiationOperator: `**` also takes bigints.
  return Math.pow(left as number, right as number);
}
