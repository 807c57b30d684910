/** What a `$filter` means: a tree whose nodes fit each other and the table. */

/** What a value is compared as. Every number is one kind, whatever the type of its column. */
export type Kind = "text" | "number" | "boolean" | "date" | "timestamp" | "json" | "null";

export type Comparison = "eq" | "ne" | "gt" | "ge" | "lt" | "le";

/** A key of an object as text, or the place in an array as a number. */
export type Step = string | number;

interface Node {
  readonly kind: Kind;
  /** Where it begins in the text. */
  readonly at: number;
}

export interface ColumnNode extends Node {
  readonly node: "column";
  readonly name: string;
}

/** A value inside of a jsonb column, or the column itself. It is null unless it has the kind. */
export interface JsonNode extends Node {
  readonly node: "json";
  readonly name: string;
  readonly path: readonly Step[];
}

export interface LiteralNode extends Node {
  readonly node: "literal";
  readonly value: string;
}

export interface CallNode extends Node {
  readonly node: "call";
  readonly name: string;
  readonly arguments: readonly FilterNode[];
}

export interface CompareNode extends Node {
  readonly node: "compare";
  readonly operator: Comparison;
  readonly left: FilterNode;
  readonly right: FilterNode;
}

export interface InNode extends Node {
  readonly node: "in";
  readonly left: FilterNode;
  /** At least one. None of them is null. */
  readonly values: readonly LiteralNode[];
}

export interface LogicNode extends Node {
  readonly node: "and" | "or" | "not";
  /** One for `not`. */
  readonly terms: readonly FilterNode[];
}

export type FilterNode = ColumnNode | JsonNode | LiteralNode | CallNode | CompareNode | InNode | LogicNode;
