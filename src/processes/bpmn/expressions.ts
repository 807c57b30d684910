/**
 * Conditions and times as Camunda modelers write them, such as `${amount > 1000 && approved}`: JUEL's operators over
 * the process variables. Expressions have no functions and no way to a prototype. A variable's value is never read as
 * an expression.
 */
import type { IExpressions } from "bpmn-elements";
import { LRUCache } from "lru-cache";
import { evaluate, variablesIn } from "./expressions/evaluate.ts";
import { ExpressionError } from "./expressions/expressionError.ts";
import { type Expression, parse } from "./expressions/parse.ts";

export { ExpressionError } from "./expressions/expressionError.ts";

type Values = Readonly<Record<string, unknown>>;

/** Characters of an expression. */
const longest = 2_000;
/** Characters of a date or a duration. */
const longestTime = 255;
const whole = /^\s*[$#]\{([^{}]*)\}\s*$/;
const part = /[$#]\{/;

/** Evaluates expressions for the engine. A text without an expression is its own value. Throws `ExpressionError`. */
export function createExpressions(variables: () => Values): IExpressions {
  return {
    resolveExpression: (text: unknown, message?: ElementMessage) => {
      if (typeof text !== "string" || !part.test(text)) return text;
      const isTime = message?.content?.type === "bpmn:TimerEventDefinition";
      return (isTime ? evaluateTime : evaluateCondition)(text, variables());
    },
    isExpression: (text: unknown) => typeof text === "string" && whole.test(text),
    hasExpression: (text: unknown) => typeof text === "string" && part.test(text),
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
  if (typeof value === "string" && isTimeText(value) && value.trim() !== "") return value;
  throw new ExpressionError(`The value of the timer expression ${text} is neither a date nor a duration.`);
}

/** The engine would take any text for true. */
function evaluateCondition(text: string, variables: Values): boolean {
  const value = evaluateText(text, variables);
  if (typeof value === "boolean") return value;
  throw new ExpressionError(`The value of the condition ${text} is neither true nor false.`);
}

/** The value of a text with an expression. Throws `ExpressionError`. */
export function evaluateText(text: string, variables: Values): unknown {
  const expression = compile(text);
  try {
    return evaluate(expression, (name) => variableOf(name, variables));
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

/** The reason why a text is not an expression. Undefined if it is one. */
export function checkExpression(text: string): string | undefined {
  try {
    compile(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The variables that an expression reads. None for a text that is not an expression. */
export function namesRead(text: string): ReadonlySet<string> {
  return new Set(checkExpression(text) === undefined ? variablesIn(compile(text)) : []);
}

const compiled = new LRUCache<string, Expression>({ max: 1_000 });

function compile(text: string): Expression {
  const known = compiled.get(text);
  if (known) return known;
  const inner = text.length > longest ? undefined : whole.exec(text)?.[1];
  if (inner === undefined)
    throw new ExpressionError(`"${text.slice(0, 200)}" is not a single expression in \${…}.`);
  try {
    const expression = parse(inner);
    compiled.set(text, expression);
    return expression;
  } catch (error) {
    throw new ExpressionError(`The expression ${text} cannot be read. ${(error as Error).message}`, {
      cause: error,
    });
  }
}
