/** The value of an expression's tree. Reads own members of objects and items of lists, never what is inherited. */
import { truthOf } from "./comparison.ts";
import { ExpressionError } from "./expressionError.ts";
import { callMethod, JsonNode } from "./json.ts";
import { binaryOperators, logicalOperators, unaryOperators } from "./operators.ts";
import type { Expression } from "./parse.ts";

/** The value of a variable. Throws for one that does not exist. */
type Lookup = (name: string) => unknown;

/** Operands are evaluated from left to right. Throws `ExpressionError`, and whatever a calculation throws. */
export function evaluate(expression: Expression, lookup: Lookup): unknown {
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "variable":
      return lookup(expression.name);
    case "member":
      return memberOf(evaluate(expression.of, lookup), evaluate(expression.key, lookup));
    case "list":
      return expression.items.map((item) => evaluate(item, lookup));
    case "unary":
      return unaryOperators.get(expression.operator)?.(evaluate(expression.operand, lookup));
    case "binary":
      return evaluateBinary(expression, lookup);
    case "choice": {
      const test = evaluate(expression.test, lookup);
      if (!expression.consequent) return test ? test : evaluate(expression.alternate, lookup);
      return evaluate(truthOf(test) ? expression.consequent : expression.alternate, lookup);
    }
    case "call": {
      const { method, of, argument } = expression;
      return callMethod(method, evaluate(of, lookup), argument && evaluate(argument, lookup));
    }
  }
}

function evaluateBinary(
  { operator, left, right }: Extract<Expression, { kind: "binary" }>,
  lookup: Lookup,
): unknown {
  const logical = logicalOperators.get(operator);
  if (!logical) return binaryOperators.get(operator)?.apply(evaluate(left, lookup), evaluate(right, lookup));
  const decided = truthOf(evaluate(left, lookup)) === logical.decidedBy;
  return decided ? logical.decidedBy : truthOf(evaluate(right, lookup));
}

/** As in JUEL, null has no members, and a missing member is null. */
function memberOf(from: unknown, key: unknown): unknown {
  if (from === null || from === undefined) return null;
  if (typeof from !== "object" || from instanceof Date)
    throw new ExpressionError("It reads a member of a value that has no members.");
  if (from instanceof JsonNode) throw new ExpressionError("It reads a member behind a method. Use prop().");
  const name = String(key);
  const isReadable = !Array.isArray(from) || /^\d+$/.test(name);
  return isReadable && Object.hasOwn(from, name) ? (from as Record<string, unknown>)[name] : null;
}

/** The names of the variables that an expression reads. */
export function variablesIn(expression: Expression): string[] {
  switch (expression.kind) {
    case "literal":
      return [];
    case "variable":
      return [expression.name];
    case "member":
      return [expression.of, expression.key].flatMap(variablesIn);
    case "list":
      return expression.items.flatMap(variablesIn);
    case "unary":
      return variablesIn(expression.operand);
    case "binary":
      return [expression.left, expression.right].flatMap(variablesIn);
    case "choice":
      return [expression.test, expression.consequent ?? [], expression.alternate].flat().flatMap(variablesIn);
    case "call":
      return [expression.of, expression.argument ?? []].flat().flatMap(variablesIn);
  }
}
