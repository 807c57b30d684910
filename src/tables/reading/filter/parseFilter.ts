/**
 * Reads a `$filter`: the part of OData 4.01's language that a table needs.
 *
 *     or         = and { "or" and }
 *     and        = equality { "and" equality }
 *     equality   = relation { ( "eq" | "ne" ) relation }
 *     relation   = unary { ( "gt" | "ge" | "lt" | "le" ) unary | "in" "(" literal { "," literal } ")" }
 *     unary      = "not" unary | "(" or ")" | literal | function "(" or { "," or } ")" | [ "$it" "/" ] column path
 *     path       = { "/" ( key | place ) }
 *
 * Precedence is OData's: `not` binds before every comparison. Types are checked where two values meet (operands.ts).
 */
import type { Definition } from "../../definition.ts";
import { Reader } from "../reader.ts";
import type { Comparison, FilterNode, LiteralNode, LogicNode } from "./expression.ts";
import { readCall } from "./functions.ts";
import { readLiteral } from "./literals.ts";
import { compare, includes, requireCondition } from "./operands.ts";
import { readColumn } from "./paths.ts";

/** Characters. A URL of Waybill has room for twice as many. */
export const maxFilterLength = 8_192;
const maxDepth = 32;
/** Columns and values together: those of 200 comparisons. */
const maxOperands = 400;

export interface Context {
  readonly reader: Reader;
  readonly definition: Definition;
  depth: number;
  operands: number;
}

/**
 * The meaning of `text`. Throws `invalid_parameter` or `unknown_column`, with the place and what was expected there.
 * `parameter` is the name that the caller knows it by.
 */
export function parseFilter(text: string, definition: Definition, parameter = "$filter"): FilterNode {
  const reader = new Reader(text.slice(0, maxFilterLength + 1), parameter);
  if (text.length > maxFilterLength)
    throw reader.fault(
      maxFilterLength,
      `expected the end: a filter has at most ${maxFilterLength} characters.`,
    );
  const filter = readCondition(reader, definition);
  if (reader.peek().type !== "end") reader.fail('"and", "or", a comparison such as "eq", or the end');
  return filter;
}

/** Reads a condition that may be followed by something else. */
export function readCondition(reader: Reader, definition: Definition): FilterNode {
  const context = { reader, definition, depth: 0, operands: 0 };
  return requireCondition(reader, readOr(context));
}

const readOr = (context: Context) => readLogic(context, "or", readAnd);
const readAnd = (context: Context) => readLogic(context, "and", readEquality);

function readLogic(
  context: Context,
  node: "and" | "or",
  readTerm: (context: Context) => FilterNode,
): FilterNode {
  const { reader } = context;
  const first = readTerm(context);
  if (reader.peek().type !== "word" || reader.peek().text.toLowerCase() !== node) return first;
  const terms = [requireCondition(reader, first)];
  while (reader.acceptWord(node)) terms.push(requireCondition(reader, readTerm(context)));
  return { node, kind: "boolean", terms, at: first.at } satisfies LogicNode;
}

const readEquality = (context: Context) => readComparisons(context, ["eq", "ne"], readRelation);
const readRelation = (context: Context) => readComparisons(context, ["gt", "ge", "lt", "le"], readMembership);

function readComparisons(
  context: Context,
  operators: readonly Comparison[],
  readOperand: (context: Context) => FilterNode,
): FilterNode {
  let left = readOperand(context);
  for (;;) {
    const operator = context.reader.acceptWord(...operators);
    if (!operator) return left;
    left = compare(context.reader, operator, { left, right: readOperand(context) });
  }
}

function readMembership(context: Context): FilterNode {
  const { reader } = context;
  const left = readUnary(context);
  if (!reader.acceptWord("in")) return left;
  reader.expect("(", 'a list in parentheses, such as "(1,2)"');
  const values: LiteralNode[] = [];
  do values.push(readValue(context));
  while (reader.accept(","));
  reader.expect(")", '"," or ")"');
  return includes(reader, left, values);
}

function readValue(context: Context): LiteralNode {
  countOperand(context);
  const { reader } = context;
  return readLiteral(reader) ?? reader.fail("a value");
}

function readUnary(context: Context): FilterNode {
  const { reader } = context;
  const { at } = reader.peek();
  if (isNot(reader)) {
    reader.next();
    const term = requireCondition(
      reader,
      deeper(context, readUnary),
      'a condition after "not", such as (a eq 1)',
    );
    return { node: "not", kind: "boolean", terms: [term], at };
  }
  if (reader.accept("(")) {
    const inner = deeper(context, readOr);
    reader.expect(")", '"and", "or", a comparison such as "eq", or ")"');
    return inner;
  }
  return readOperand(context);
}

function isNot(reader: Reader): boolean {
  const { type, text } = reader.peek();
  return type === "word" && text.toLowerCase() === "not";
}

function readOperand(context: Context): FilterNode {
  const { reader } = context;
  const after = reader.peek(1);
  if (reader.peek().type === "word" && after.type === "sign" && after.text === "(")
    return deeper(context, (context) => readCall(reader, () => readOr(context)));
  countOperand(context);
  return readLiteral(reader) ?? readColumn(reader, context.definition);
}

function deeper<T>(context: Context, read: (context: Context) => T): T {
  const { reader } = context;
  if (++context.depth > maxDepth)
    throw reader.fault(reader.peek().at, `there are more than ${maxDepth} levels.`);
  const result = read(context);
  context.depth--;
  return result;
}

function countOperand(context: Context): void {
  const { reader } = context;
  if (++context.operands <= maxOperands) return;
  throw reader.fault(reader.peek().at, `there are more than ${maxOperands} columns and values.`);
}
