/** The text between `${` and `}` → a tree of what expressions may have. Any other syntax that jsep knows is refused. */
import type jsep from "jsep";
import { wayOut } from "../unsupported.ts";
import { ExpressionError } from "./expressionError.ts";
import { malformed, readNodes } from "./grammar.ts";
import { leadsToPrototypes, methodNames, parametersOf } from "./json.ts";
import { binaryOperators, logicalOperators, unaryOperators } from "./operators.ts";

export type Expression =
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "member"; readonly of: Expression; readonly key: Expression }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "unary"; readonly operator: string; readonly operand: Expression }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "choice";
      readonly test: Expression;
      /** Absent in `a ?: b`. */
      readonly consequent: Expression | undefined;
      readonly alternate: Expression;
    }
  | {
      readonly kind: "call";
      readonly method: string;
      readonly of: Expression;
      readonly argument: Expression | undefined;
    };

/** Throws `ExpressionError`. */
export const parse = (text: string): Expression => treeOf(readNodes(text));

function treeOf(given: jsep.Expression): Expression {
  const node = given as jsep.CoreExpression;
  switch (node.type) {
    case "Literal":
      return { kind: "literal", value: node.value };
    case "Identifier":
      return { kind: "variable", name: checkedName(node.name) };
    case "ThisExpression":
      return { kind: "variable", name: "this" };
    case "MemberExpression":
      if (node.optional) throw new ExpressionError("A name in it begins with a dot.");
      return { kind: "member", of: treeOf(node.object), key: keyOf(node) };
    case "ArrayExpression":
      return { kind: "list", items: node.elements.filter((element) => element !== null).map(treeOf) };
    case "UnaryExpression":
      return { kind: "unary", operator: node.operator, operand: treeOf(node.argument) };
    case "BinaryExpression":
      return { kind: "binary", operator: node.operator, left: treeOf(node.left), right: treeOf(node.right) };
    case "ConditionalExpression":
      return {
        kind: "choice",
        test: treeOf(node.test),
        consequent: node.consequent && treeOf(node.consequent),
        alternate: treeOf(node.alternate),
      };
    case "CallExpression":
      return callOf(node);
    case "Compound":
      if (node.body.length === 0) throw new ExpressionError("It is empty.");
      throw malformed();
    default:
      throw malformed();
  }
}

/** A method that reads Json. Other methods, and functions, do not exist. */
function callOf({ callee, arguments: given, optional }: jsep.CallExpression): Expression {
  const { type, computed, object, property } = callee as jsep.MemberExpression;
  const method = String((property as jsep.Identifier | undefined)?.name);
  const parameters = type === "MemberExpression" && !computed && !optional ? parametersOf(method) : undefined;
  if (parameters === undefined) throw new ExpressionError(`${instead.get(method) ?? ""}${onlyMethods}`);
  if (given.length !== parameters)
    throw new ExpressionError(`It calls ${method}() with ${given.length} values. It takes ${parameters}.`);
  const [argument] = given.map(treeOf);
  if (argument?.kind === "literal" && leadsToPrototypes.has(argument.value))
    throw reads(String(argument.value));
  return { kind: "call", method, of: treeOf(object), argument };
}

/** What models of other engines call most, and what is the same here. */
const instead: ReadonlyMap<string, string> = new Map([
  ["equals", "Instead of equals(), write ==. "],
  ["isEmpty", 'Instead of isEmpty(), write "empty" before the value. '],
  ["getVariable", "Instead of getVariable(), write the name of the variable. "],
]);

const onlyMethods =
  "It calls a function. Expressions have no functions, only these methods of Json: " +
  `${methodNames.map((name) => `${name}()`).join(", ")}. ${wayOut}`;

function keyOf({ computed, property }: jsep.MemberExpression): Expression {
  if (!computed) return { kind: "literal", value: checkedName((property as jsep.Identifier).name) };
  const key = treeOf(property);
  if (key.kind === "literal" && leadsToPrototypes.has(String(key.value))) throw reads(String(key.value));
  return key;
}

const operators = new Set([...unaryOperators.keys(), ...logicalOperators.keys(), ...binaryOperators.keys()]);
/** Of the letters, those of Western European languages and Russian. */
const wellFormedName = /^[a-zA-Z_$À-ÖØ-öø-ÿА-я][\w$À-ÖØ-öø-ÿА-я]*$/;

/** A name in brackets may be that of an own member, such as `toString`. Elsewhere it is taken for the inherited one. */
function checkedName(name: string): string {
  if (!wellFormedName.test(name) || operators.has(name)) throw malformed();
  if (leadsToPrototypes.has(name) || name in Object.prototype) throw reads(name);
  return name;
}

const reads = (name: string) => new ExpressionError(`It reads "${name}".`);
