/**
 * Conditions and times as Camunda modelers write them, such as `${amount > 1000 && approved}`: JUEL's operators over
 * the process variables. Expressions have no functions but those that read Json, and no way to a prototype. A
 * variable's value is never read as an expression.
 */
import type { IExpressions } from "bpmn-elements";
import { LRUCache } from "lru-cache";
import { join } from "./expressions/arithmetic.ts";
import { evaluate, variablesIn } from "./expressions/evaluate.ts";
import { ExpressionError } from "./expressions/expressionError.ts";
import { type Expression, parse } from "./expressions/parse.ts";
import { hasExpression, partsOf } from "./expressions/template.ts";

export { ExpressionError } from "./expressions/expressionError.ts";

type Values = Readonly<Record<string, unknown>>;

/** Characters of an expression. */
const longest = 2_000;
/** Characters of a date or a duration. */
const longestTime = 255;

/**
 * Evaluates expressions for the engine, and reports the value of each condition. A text without an expression is its
 * own value. Throws `ExpressionError`.
 */
export function createExpressions(
  variables: () => Values,
  report: (condition: string, holds: boolean) => void = () => {},
): IExpressions {
  return {
    resolveExpression: (text: unknown, message?: ElementMessage) => {
      if (typeof text !== "string" || !hasExpression(text)) return text;
      if (message?.content?.type === "bpmn:TimerEventDefinition") return evaluateTime(text, variables());
      const holds = evaluateCondition(text, variables());
      report(text, holds);
      return holds;
    },
    isExpression: (text: unknown) => typeof text === "string" && /^\s*[$#]\{/.test(text),
    hasExpression: (text: unknown) => typeof text === "string" && hasExpression(text),
  } as IExpressions;
}

/** The message of the element that the expression belongs to. */
interface ElementMessage {
  readonly content?: { readonly type?: string };
}

/** Whether a text is short enough to be read as a date or a duration. */
export const isTimeText = (text: string) => text.length <= longestTime;

/** The engine would take an empty time for now. */
function evaluateTime(text: string, variables: Values): string {
  const value = evaluateText(text, variables);
  const time = value instanceof Date ? value.toISOString() : value;
  if (typeof time === "string" && isTimeText(time) && time.trim() !== "") return time;
  throw new ExpressionError(`The value of the timer expression ${text} is neither a date nor a duration.`);
}

/** The engine would take any text for true. Throws `ExpressionError`. */
export function evaluateCondition(text: string, variables: Values): boolean {
  const why = checkExpression(text);
  if (why !== undefined) throw new ExpressionError(why);
  const value = evaluateText(text, variables);
  if (typeof value === "boolean") return value;
  throw new ExpressionError(`The value of the condition ${text} is neither true nor false.`);
}

/** The value of a text with an expression. Throws `ExpressionError`. */
export function evaluateText(text: string, variables: Values): unknown {
  const parts = compile(text);
  const valueIn = (part: CompiledPart) =>
    typeof part === "string" ? part : evaluate(part, (name) => variableOf(name, variables));
  try {
    const [first, ...others] = parts.map(valueIn);
    return others.reduce((before, value) => join(before ?? "", value ?? ""), first);
  } catch (error) {
    const why = error instanceof ExpressionError ? ` ${error.message}` : "";
    throw new ExpressionError(`The expression ${text} cannot be evaluated.${why}`, { cause: error });
  }
}

/** A missing variable is a mistake of the model or of its caller, and does not count as null. */
function variableOf(name: string, variables: Values): unknown {
  if (Object.hasOwn(variables, name)) return variables[name];
  if (name === "null") return null;
  throw new ExpressionError(`There is no variable "${name}".`);
}

/** The reason why a text is not one expression. Undefined if it is. */
export function checkExpression(text: string): string | undefined {
  return reasonAgainst(() => {
    const [first, ...others] = compile(text);
    if (typeof first !== "object" || others.length > 0) throw notSingle(text);
  });
}

/** The reason why a text with expressions, such as `PT${hours}H` or `team_${country}`, cannot be read. */
export const checkTextWithExpressions = (text: string) => reasonAgainst(() => compile(text));

export { hasExpression } from "./expressions/template.ts";

function reasonAgainst(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The variables that a text's expressions read. None for a text without expressions, or with a wrong one. */
export function namesRead(text: string): ReadonlySet<string> {
  if (checkTextWithExpressions(text) !== undefined) return new Set();
  return new Set(compile(text).flatMap((part) => (typeof part === "string" ? [] : variablesIn(part))));
}

/** Text, or an expression in it. */
type CompiledPart = string | Expression;

const compiled = new LRUCache<string, readonly CompiledPart[]>({ max: 1_000 });

function compile(text: string): readonly CompiledPart[] {
  const known = compiled.get(text);
  if (known) return known;
  if (text.length > longest) throw notSingle(text);
  try {
    const parts = partsOf(text.trim()).map((part) => ("text" in part ? part.text : parse(part.source)));
    compiled.set(text, parts);
    return parts;
  } catch (error) {
    throw new ExpressionError(`The expression ${text} cannot be read. ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const notSingle = (text: string) =>
  new ExpressionError(
    `"${text.slice(0, 200)}" is not a single expression in \${…} of at most ${longest} characters.`,
  );
