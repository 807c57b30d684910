/** Checks that the two sides of a comparison have the same kind, and that conditions are conditions. */
import type { Reader } from "../reader.ts";
import type {
  CompareNode,
  Comparison,
  FilterNode,
  InNode,
  Kind,
  LiteralNode,
  LogicNode,
} from "./expression.ts";
import { takes } from "./kinds.ts";

/** Kinds that a value in a jsonb column can have. */
const jsonKinds: readonly Kind[] = ["text", "number", "boolean"];

/**
 * Throws if `node` is neither true nor false. A value in a jsonb column counts as one if it is a boolean. Without
 * `expected`, the fault is the next token, where a comparison is missing.
 */
export function requireCondition(reader: Reader, node: FilterNode, expected?: string): FilterNode {
  const condition = ofKind(node, "boolean");
  if (condition) return condition;
  if (!expected) reader.fail('a comparison such as "eq"');
  throw reader.fault(node.at, `expected ${expected}, found ${described(node)}.`);
}

export function compare(
  reader: Reader,
  operator: Comparison,
  { left, right }: { left: FilterNode; right: FilterNode },
): CompareNode {
  const pair = paired(left, right);
  if (!pair) throw unequalKinds(reader, left, right);
  const [first, second] = pair;
  const plural = first.kind === second.kind ? unordered[first.kind] : undefined;
  if (plural && operator !== "eq" && operator !== "ne")
    throw reader.fault(left.at, `expected values that have an order: only eq and ne compare ${plural}.`);
  return { node: "compare", kind: "boolean", operator, left: first, right: second, at: left.at };
}

/** `left` in a list. A null in it, or a jsonb value on the left, makes it a list of comparisons. */
export function includes(
  reader: Reader,
  left: FilterNode,
  values: readonly LiteralNode[],
): InNode | LogicNode {
  const equal = values.map((right) => compare(reader, "eq", { left, right }));
  const [first] = equal;
  const isPlain = left.kind !== "json" && left.kind !== "null" && values.every(({ kind }) => kind !== "null");
  return isPlain && first
    ? { node: "in", kind: "boolean", left: first.left, values, at: left.at }
    : { node: "or", kind: "boolean", terms: equal, at: left.at };
}

/** Both sides with one kind. Undefined if they have none in common. */
function paired(left: FilterNode, right: FilterNode): readonly [FilterNode, FilterNode] | undefined {
  if (left.kind === right.kind || left.kind === "null" || right.kind === "null") return [left, right];
  const asLeft = ofKind(right, left.kind);
  if (asLeft) return [left, asLeft];
  const asRight = ofKind(left, right.kind);
  return asRight && [asRight, right];
}

/** The node with this kind. Undefined if it cannot have it. */
export function ofKind(node: FilterNode, kind: Kind): FilterNode | undefined {
  if (node.kind === kind) return node;
  return node.node === "json" && jsonKinds.includes(kind) ? { ...node, kind } : undefined;
}

/** The fault is the side that is not a column. */
function unequalKinds(reader: Reader, left: FilterNode, right: FilterNode) {
  const [wrong, other] = left.node === "literal" && right.node !== "literal" ? [left, right] : [right, left];
  const partner = "name" in other && other.node !== "call" ? `, to compare with column "${other.name}"` : "";
  return reader.fault(wrong.at, `expected ${takes[other.kind]}${partner}, found ${described(wrong)}.`);
}

const nouns: Readonly<Record<Kind, string>> = {
  text: "a string",
  number: "a number",
  boolean: "true or false",
  date: "a date",
  timestamp: "a timestamp",
  json: "a jsonb value",
  null: "null",
};

const unordered: Partial<Record<Kind, string>> = { boolean: "true and false", json: "two jsonb values" };

export const described = (node: FilterNode) =>
  node.node === "column" || node.node === "json"
    ? `column "${node.name}" (${nouns[node.kind]})`
    : nouns[node.kind];
