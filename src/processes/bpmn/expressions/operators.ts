/** The operators of expressions: JUEL's, and three more (`in`, `//`, `^`). */
import { add, divide, multiply, negate, remainderOf, subtract } from "./arithmetic.ts";
import { compare, isSame, truthOf } from "./comparison.ts";
import { JsonNode } from "./json.ts";

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
const greater = relation((order) => order > 0);
const less = relation((order) => order < 0);
const atLeast = relation((order) => order >= 0);
const atMost = relation((order) => order <= 0);
const quotient: BinaryOperator = { precedence: 6, apply: divide };
const modulo: BinaryOperator = { precedence: 6, apply: remainderOf };

/** False where there is no order, which is so with null. */
function relation(holds: (order: number) => boolean): BinaryOperator {
  const apply = (left: unknown, right: unknown) => {
    const order = compare(left, right);
    return order !== undefined && holds(order);
  };
  return { precedence: 4, apply };
}

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
  ["in", { precedence: 4, apply: isIn }],
  ["+", { precedence: 5, apply: add }],
  ["-", { precedence: 5, apply: subtract }],
  ["*", { precedence: 6, apply: multiply }],
  ["/", quotient],
  ["div", quotient],
  ["%", modulo],
  ["mod", modulo],
  ["//", { precedence: 6, apply: floorOfQuotient }],
  ["^", { precedence: 7, apply: power }],
]);

function isNot(value: unknown): boolean {
  return !truthOf(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (typeof value !== "object" || value instanceof Date || value instanceof JsonNode) return false;
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
