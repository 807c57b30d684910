/**
 * Expressions of conditions and timers as Camunda modelers draw them: `${amount > 1000 && approved}`, evaluated by jexl
 * over the process variables with JUEL's operators. There are no functions in them, and no way to a prototype: of an
 * object its own members are read, of a list its items, of anything else nothing. A variable's value is never read as an
 * expression.
 */
import type { IExpressions } from "bpmn-elements";
import { Jexl } from "jexl";
import { LRUCache } from "lru-cache";

/** Names what is wrong with an expression, or with the variables for it; never a value. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

type Values = Readonly<Record<string, unknown>>;

const longest = 2_000;
/** Characters of a text that is put together from others. */
const longestJoined = 64 * 1024;
const longestTime = 255;
const whole = /^\s*[$#]\{([^{}]*)\}\s*$/;
const part = /[$#]\{/;

/** What the engine evaluates expressions with. A text without one is itself. Throws `ExpressionError`. */
export function createExpressions(variables: () => Values): IExpressions {
  return {
    resolveExpression: (text: unknown, asked?: Asked) => {
      if (typeof text !== "string" || !part.test(text)) return text;
      const isTime = asked?.content?.type === "bpmn:TimerEventDefinition";
      return (isTime ? evaluateTime : evaluateCondition)(text, variables());
    },
    isExpression: (text: unknown) => typeof text === "string" && whole.test(text),
    hasExpression: (text: unknown) => typeof text === "string" && part.test(text),
  } as IExpressions;
}

/** The message of the element that asks. */
interface Asked {
  readonly content?: { readonly type?: string };
}

/** Whether it is short enough to be read as a date or a duration. */
export const isTimeText = (text: string) => text.length <= longestTime;

/** The engine would take an empty time for now. */
function evaluateTime(text: string, variables: Values): string {
  const value = evaluate(text, variables);
  if (typeof value === "string" && isTimeText(value) && value.trim() !== "") return value;
  throw new ExpressionError(`The expression ${text} gives a timer no date and no duration.`);
}

/** A sequence flow's condition, which is true or false: the engine would take any text for true. */
function evaluateCondition(text: string, variables: Values): boolean {
  const value = evaluate(text, variables);
  if (typeof value === "boolean") return value;
  throw new ExpressionError(`The condition ${text} is neither true nor false.`);
}

/** Why a text is no expression; undefined where it is one. */
export function checkExpression(text: string): string | undefined {
  try {
    compile(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The variables that an expression reads; none of a text that is no expression. */
export function namesRead(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  if (checkExpression(text) === undefined)
    collectNames((compile(text) as unknown as { _ast: unknown })._ast, names);
  return names;
}

function collectNames(node: unknown, names: Set<string>): void {
  if (typeof node !== "object" || node === null) return;
  const { type, value } = node as Node;
  if (type === "Identifier") names.add(String(value));
  for (const [key, child] of Object.entries(node)) if (key !== "_parent") collectNames(child, names);
}

function evaluate(text: string, variables: Values): unknown {
  const expression = compile(text);
  try {
    return expression.evalSync(contextOf(text, variables));
  } catch (error) {
    throw (
      ownError(error) ?? new ExpressionError(`The expression ${text} cannot be evaluated.`, { cause: error })
    );
  }
}

/** jexl makes new errors of those within operands: of ours the words are left. */
function ownError(error: unknown): ExpressionError | undefined {
  if (error instanceof ExpressionError) return error;
  const [, words] = /.*ExpressionError: (.*)$/s.exec((error as Error).message) ?? [];
  return words === undefined ? undefined : new ExpressionError(words, { cause: error });
}

/** Only own variables are there, and one that is not is a mistake rather than nothing. */
function contextOf(text: string, variables: Values): object {
  const get = (_: object, name: string | symbol) => {
    if (typeof name === "string" && Object.hasOwn(variables, name)) return variables[name];
    if (name === "null") return null;
    throw new ExpressionError(`There is no variable "${String(name)}" for the expression ${text}.`);
  };
  return new Proxy({}, { get });
}

type Compiled = ReturnType<typeof jexl.compile>;
const known = new LRUCache<string, Compiled>({ max: 1_000 });

function compile(text: string): Compiled {
  const found = known.get(text);
  if (found) return found;
  const inner = text.length > longest ? undefined : whole.exec(text)?.[1];
  if (inner === undefined)
    throw new ExpressionError(`"${text.slice(0, 200)}" is not one expression in \${…}.`);
  const made = parse(text, inner);
  known.set(text, made);
  return made;
}

function parse(text: string, inner: string): Compiled {
  try {
    const expression = jexl.compile(exactLiterals(withNegations(inner)));
    const compiled = expression as unknown as { _ast: unknown };
    refuseOdd(compiled._ast);
    compiled._ast = withOwnMembers(compiled._ast);
    return expression;
  } catch (error) {
    const why = error instanceof ExpressionError ? error.message : "It is not well-formed.";
    throw new ExpressionError(`The expression ${text} cannot be read. ${why}`, { cause: error });
  }
}

const token = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\p{L}_$][\p{L}\p{N}_$]*|\d+(?:\.\d+)?|\s+|./gsu;
const wordOperators = new Set("and or not empty eq ne lt gt le ge div mod in".split(" "));
/** What jexl calls a minus before anything but a number, where it knows none of its own: the sign U+2212. */
const negation = "\u2212";

/** With `negation` for each minus that stands where an operand begins. */
function withNegations(inner: string): string {
  if (!inner.includes("-")) return inner;
  let atOperand = true;
  return inner.replaceAll(token, (text) => {
    if (text === "-" && atOperand) return negation;
    if (text.trim() !== "") atOperand = wordOperators.has(text) || /^[-+*/%^!=<>&|?:,([]$/.test(text);
    return text;
  });
}

/** A whole number with more digits than a double has, as text: comparisons read texts of numbers exactly. */
const exactLiterals = (inner: string) =>
  inner.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w.])\d{16,}(?![\w.])/g, (token) =>
    /^\d/.test(token) ? `'${token}'` : token,
  );

const hidden = new Set(["constructor", "prototype", "__proto__"]);

function refuseOdd(node: unknown): void {
  if (typeof node !== "object" || node === null) {
    if (node === null) throw new ExpressionError("It is empty.");
    return;
  }
  const { type, value, relative, expr } = node as Node;
  if (type === "FunctionCall") throw new ExpressionError("It calls a function, and there are none.");
  if (relative) throw new ExpressionError("A name in it begins with a dot.");
  const name = type === "FilterExpression" && expr?.type === "Literal" ? expr.value : value;
  if (type !== "Literal" && hidden.has(String(name))) throw new ExpressionError(`It reads "${name}".`);
  for (const [key, child] of Object.entries(node))
    if (key !== "_parent" && typeof child === "object" && child !== null) refuseOdd(child);
}

interface Node {
  readonly type?: string;
  readonly value?: unknown;
  readonly relative?: boolean;
  readonly from?: Node;
  readonly subject?: Node;
  readonly expr?: Node;
}

/**
 * The tree with `a.b` and `a[b]` read by `memberOf`: jexl's own reading would find what an object inherits, also by a
 * name that is only known when it is evaluated.
 */
function withOwnMembers(node: unknown): unknown {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map(withOwnMembers);
  const { type, value, from, subject, expr } = node as Node;
  if (type === "Identifier" && from) return reading(from, { type: "Literal", value });
  if (type === "FilterExpression") return reading(subject, expr);
  return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, withOwnMembers(child)]));
}

const reading = (from: unknown, key: unknown) => ({
  type: "FunctionCall",
  pool: "functions",
  name: "memberOf",
  args: [withOwnMembers(from), withOwnMembers(key)],
});

/** As in JUEL nothing has no members, and a member that is not there is nothing. */
function memberOf(from: unknown, key: unknown): unknown {
  if (from === null || from === undefined) return null;
  if (typeof from !== "object") throw new ExpressionError("It reads a member of something that has none.");
  const name = String(key);
  const known = Array.isArray(from) ? /^\d+$/.test(name) : true;
  return known && Object.hasOwn(from, name) ? (from as Values)[name] : null;
}

function makeJexl() {
  const made = new Jexl();
  const binary = (names: string[], precedence: number, op: (left: unknown, right: unknown) => unknown) => {
    for (const name of names) made.addBinaryOp(name, precedence, op);
  };
  binary(["==", "eq"], 20, isSame);
  binary(["!=", "ne"], 20, (left, right) => !isSame(left, right));
  binary([">", "gt"], 20, (left, right) => orderOf(left, right) > 0);
  binary(["<", "lt"], 20, (left, right) => orderOf(left, right) < 0);
  binary([">=", "ge"], 20, (left, right) => orderOf(left, right) >= 0);
  binary(["<=", "le"], 20, (left, right) => orderOf(left, right) <= 0);
  binary(["+"], 30, sumOf);
  binary(["-"], 30, (left, right) => calculate(minus, left, right));
  binary(["*"], 40, (left, right) => calculate(times, left, right));
  binary(["/", "div"], 40, (left, right) => calculate(by, left, right));
  binary(["%", "mod"], 40, (left, right) => calculate(modulo, left, right));
  made.addFunction("memberOf", memberOf);
  // Its types leave out the flag by which operands are evaluated on demand.
  const addLazyOp = made.addBinaryOp.bind(made) as (
    name: string,
    precedence: number,
    op: unknown,
    lazy: true,
  ) => void;
  const logic = (names: string[], precedence: number, ends: boolean) => {
    // The right side is not looked at where the left side decides.
    const op = (left: Lazy, right: Lazy) =>
      left.eval().then((value) => (truthOf(value) === ends ? ends : right.eval().then(truthOf)));
    for (const name of names) addLazyOp(name, precedence, op, true);
  };
  logic(["&&", "and"], 12, false);
  logic(["||", "or"], 10, true);
  for (const name of ["!", "not"]) made.addUnaryOp(name, (value: unknown) => !truthOf(value));
  made.addUnaryOp("empty", isEmpty);
  made.addUnaryOp(negation, (value: unknown) => calculate(minus, 0, value));
  // jexl gives its own unary operators a precedence, and forgets it for those that are added: `not a and b` would be
  // `not (a and b)`.
  const { elements } = (
    made as unknown as { _grammar: { elements: Record<string, { precedence?: number }> } }
  )._grammar;
  for (const name of ["!", "not", "empty", negation])
    Object.assign(elements[name] ?? {}, { precedence: Number.POSITIVE_INFINITY });
  return made;
}

interface Lazy {
  eval(): { then(use: (value: unknown) => unknown): unknown };
}

/** Whole numbers give exact ones, but for a division, which JUEL always makes a fraction. */
interface Arithmetic {
  readonly exactly?: (a: bigint, b: bigint) => bigint;
  readonly nearly: (a: number, b: number) => number;
}
const plus: Arithmetic = { exactly: (a, b) => a + b, nearly: (a, b) => a + b };
const minus: Arithmetic = { exactly: (a, b) => a - b, nearly: (a, b) => a - b };
const times: Arithmetic = { exactly: (a, b) => a * b, nearly: (a, b) => a * b };
const by: Arithmetic = { nearly: (a, b) => a / b };
const modulo: Arithmetic = { exactly: (a, b) => a % b, nearly: (a, b) => a % b };

const jexl = makeJexl();

function truthOf(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  if (value === null) return false;
  throw new ExpressionError("Something that is neither true nor false stands where one of these has to.");
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (typeof value !== "object") return false;
  // A large object is not listed to learn whether it has members.
  for (const _ in value) return false;
  return true;
}

type Numeric = number | bigint;
const decimal = /^-?\d+(\.\d+)?$/;
/** More than a double and the bigints of `calculate` can have. */
const mostDigits = 400;

/** A number, or the text of one: whole numbers keep every digit. */
function numeric(value: unknown): Numeric | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "string" || !decimal.test(value)) return undefined;
  return value.includes(".") ? Number(value) : wholeNumber(value);
}

/** Exact where something can be near it. Making a bigint is quadratic in the number of digits. */
function wholeNumber(text: string): Numeric {
  if (text.length <= mostDigits) return BigInt(text);
  const isNegative = text.startsWith("-");
  const digits = text.slice(Number(isNegative)).replace(/^0+/, "");
  const size = digits.length <= mostDigits ? BigInt(digits) : Number.POSITIVE_INFINITY;
  return isNegative ? -size : size;
}

/** Nothing counts as 0, as in JUEL. */
function calculate({ exactly, nearly }: Arithmetic, left: unknown, right: unknown): Numeric {
  const [a, b] = [left, right].map(operandOf);
  if (a === undefined || b === undefined)
    throw new ExpressionError("It calculates with something that is no number.");
  if (!exactly || !isWhole(a) || !isWhole(b)) return nearly(Number(a), Number(b));
  const exact = exactly(BigInt(a), BigInt(b));
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

/** Texts that are no numbers are joined, which JUEL refuses: timers are put together so. */
function sumOf(left: unknown, right: unknown): unknown {
  const isText = [left, right].some((value) => typeof value === "string" && numeric(value) === undefined);
  if (isText && [left, right].every((value) => typeof value !== "object")) return joined(left, right);
  return calculate(plus, left, right);
}

function joined(left: unknown, right: unknown): string {
  const [before, after] = [String(left), String(right)];
  if (before.length + after.length > longestJoined)
    throw new ExpressionError(`It joins texts of more than ${longestJoined} characters.`);
  return before + after;
}

function operandOf(value: unknown): Numeric | undefined {
  if (typeof value !== "string") return numeric(value ?? 0);
  // Exactly, a text of a million digits would take seconds.
  return value.length > 80 && decimal.test(value) ? Number(value) : numeric(value);
}

const isWhole = (value: Numeric) =>
  typeof value === "bigint" ? value > -(2n ** 256n) && value < 2n ** 256n : Number.isSafeInteger(value);

/** A text beside a boolean is read as one, as in JUEL: `true` in any case is true, all else false. */
function isSame(left: unknown, right: unknown): boolean {
  if (typeof left === "boolean" && typeof right === "string")
    return left === (right.length === "true".length && right.toLowerCase() === "true");
  if (typeof left === "string" && typeof right === "boolean") return isSame(right, left);
  if (typeof left === "string" && typeof right === "string") return left === right;
  const [a, b] = [numeric(left), numeric(right)];
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint are compared by value.
  if (a !== undefined && b !== undefined) return a == b;
  return (left ?? null) === (right ?? null);
}

function orderOf(left: unknown, right: unknown): number {
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : Number(left > right);
  const [a, b] = [numeric(left), numeric(right)];
  if (a === undefined || b === undefined)
    throw new ExpressionError("Two things are compared that have no order, such as a text and nothing.");
  return a < b ? -1 : Number(a > b);
}
