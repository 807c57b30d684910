/**
 * A filter as SQL. Every value is a bound parameter of its column's type, so an index on the column can serve it.
 *
 * OData's `eq`, `gt` and so on never answer null: `not (a eq 1)` matches a row without a value, and so does `a ne 1`.
 * SQL's `=` does. That makes a difference only where the answer is used by something else than `and` and `or`, so
 * everything below such a place is `exact` (`(a = 1) is true`). The other conditions stay as plain as an index needs
 * them.
 */
import { columnTypes } from "../../columnTypes/index.ts";
import type { Definition } from "../../definition.ts";
import { columnSql, type Parameters, typeOf } from "../../statement.ts";
import type { CompareNode, FilterNode, InNode, JsonNode, Kind, LiteralNode } from "./expression.ts";
import { callSql } from "./functions.ts";

interface Target {
  readonly definition: Definition;
  readonly parameters: Parameters;
}

/** A condition on the table `t`. */
export function filterSql(node: FilterNode, definition: Definition, parameters: Parameters): string {
  return conditionOf(node, { definition, parameters }, false);
}

function conditionOf(node: FilterNode, target: Target, exact: boolean): string {
  if (node.node === "and" || node.node === "or")
    return `(${node.terms.map((term) => conditionOf(term, target, exact)).join(` ${node.node} `)})`;
  if (node.node !== "compare" && node.node !== "in") return valueSql(node, target);
  const sql = node.node === "in" ? inSql(node, target) : comparisonSql(node, target);
  return exact ? `((${sql}) is true)` : `(${sql})`;
}

/** A value of the node's kind. `partner` is what it is compared with. */
function valueSql(node: FilterNode, target: Target, partner?: FilterNode): string {
  switch (node.node) {
    case "column":
      return columnSql(node.name);
    case "json":
      return jsonSql(node, target);
    case "literal":
      return target.parameters.add(node.value, literalType(node, target, partner));
    case "call": {
      const sqls = node.arguments.map((argument) => valueSql(argument, target));
      return callSql(node, sqls);
    }
    case "not":
      return `(not ${node.terms.map((term) => conditionOf(term, target, true)).join()})`;
    default:
      return conditionOf(node, target, true);
  }
}

const sqlTypes: Readonly<Record<Exclude<Kind, "null" | "json">, string>> = {
  text: columnTypes.text.sqlType,
  number: columnTypes.numeric.sqlType,
  boolean: columnTypes.boolean.sqlType,
  date: columnTypes.date.sqlType,
  timestamp: columnTypes.timestamp.sqlType,
};

/**
 * A number takes the type of the column beside it if it fits. Otherwise PostgreSQL compares both as numeric, which is
 * exact, so `n gt 1.5` and `n lt 99999999999` work for an integer.
 */
function literalType({ kind, value }: LiteralNode, { definition }: Target, partner?: FilterNode): string {
  if (kind === "null" || kind === "json") throw new Error("A null of a filter has no type.");
  if (kind !== "number" || partner?.node !== "column") return sqlTypes[kind];
  const type = typeOf(definition, partner.name);
  return /^-?\d+$/.test(value) && type.accepts(JSON.rawJSON(value)) ? type.sqlType : sqlTypes[kind];
}

/** The value at the path if it has the node's kind, otherwise null. JSON's null is null. */
function jsonSql({ name, path, kind }: JsonNode, { parameters }: Target): string {
  let value = columnSql(name);
  for (const step of path)
    value =
      typeof step === "number"
        ? `(${value} #> array[${parameters.add(String(step))}])`
        : `(${value} -> ${parameters.add(step)})`;
  if (kind === "text") return `(case jsonb_typeof(${value}) when 'string' then ${value} #>> '{}' end)`;
  if (kind === "number") return `(case jsonb_typeof(${value}) when 'number' then ${value}::numeric end)`;
  if (kind === "boolean") return `(case jsonb_typeof(${value}) when 'boolean' then ${value}::boolean end)`;
  return `nullif(${value}, 'null'::jsonb)`;
}

function inSql({ left, values }: InNode, target: Target): string {
  const list = values.map((value) => valueSql(value, target, left));
  return `${valueSql(left, target)} in (${list.join(", ")})`;
}

const symbols = { eq: "=", ne: "<>", gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

function comparisonSql({ operator, left, right }: CompareNode, target: Target): string {
  if (left.kind === "null") return nullComparison(operator, right, target);
  if (right.kind === "null") return nullComparison(operator, left, target);
  const [a, b] = [valueSql(left, target, right), valueSql(right, target, left)];
  const mayBothBeNull = isNullable(left, target) && isNullable(right, target);
  if (operator === "ne") return `${a} is distinct from ${b}`;
  if (operator === "eq" && mayBothBeNull) return `${a} is not distinct from ${b}`;
  const plain = `${a} ${symbols[operator]} ${b}`;
  // Two nulls are equal, so each is also greater or equal.
  const orEqual = operator === "ge" || operator === "le";
  return orEqual && mayBothBeNull ? `${plain} or (${a} is null and ${b} is null)` : plain;
}

/** Null equals null, and nothing is greater or less. */
function nullComparison(operator: CompareNode["operator"], other: FilterNode, target: Target): string {
  if (operator === "gt" || operator === "lt") return "false";
  if (other.kind === "null") return operator === "ne" ? "false" : "true";
  return `${valueSql(other, target)} is ${operator === "ne" ? "not null" : "null"}`;
}

function isNullable(node: FilterNode, { definition }: Target): boolean {
  if (node.node === "column") return definition.nullable.has(node.name);
  return node.node !== "literal" && node.node !== "compare" && node.node !== "in";
}
