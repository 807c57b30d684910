/**
 * Reads `$apply`: the part of OData's data aggregation that a report needs.
 *
 *     apply     = { "filter" "(" condition ")" "/" } ( groupby | aggregate )
 *     groupby   = "groupby" "(" "(" column { "," column } ")" [ "," aggregate ] ")"
 *     aggregate = "aggregate" "(" item { "," item } ")"
 *     item      = ( "$count" | column "with" method ) "as" name
 */
import type { Definition } from "../../definition.ts";
import type { FilterNode } from "../filter/expression.ts";
import { readCondition } from "../filter/parseFilter.ts";
import { unknownColumn } from "../filter/paths.ts";
import { Reader } from "../reader.ts";
import { type Aggregate, aggregateOf, methods } from "./aggregates.ts";

export interface Grouping {
  /** Rows that do not match are not counted. */
  readonly filter: FilterNode | undefined;
  /** The columns that the rows of a group have in common. None of them makes one group of all rows. */
  readonly by: readonly string[];
  readonly aggregates: readonly Aggregate[];
}

const maxColumns = 8;
const maxAggregates = 20;
const maxFilters = 8;

/** Throws `invalid_parameter` or `unknown_column`, with the place and what was expected there. */
export function parseApply(text: string, definition: Definition): Grouping {
  const reader = new Reader(text, "$apply");
  const filter = readFilters(reader, definition);
  const isGrouped = reader.acceptWord("groupby");
  if (!isGrouped && !reader.acceptWord("aggregate")) reader.fail('"filter(", "groupby(" or "aggregate("');
  const grouping = isGrouped
    ? readGroupBy(reader, definition)
    : { by: [], aggregates: readAggregates(reader, { definition, by: [] }) };
  if (reader.peek().type !== "end") reader.fail("the end");
  return { ...grouping, filter };
}

function readFilters(reader: Reader, definition: Definition): FilterNode | undefined {
  const terms: FilterNode[] = [];
  const { at } = reader.peek();
  while (reader.acceptWord("filter")) {
    reader.expect("(");
    terms.push(readCondition(reader, definition));
    reader.expect(")", '"and", "or", a comparison such as "eq", or ")"');
    reader.expect("/");
    if (terms.length > maxFilters) throw reader.fault(at, `there are more than ${maxFilters} filters.`);
  }
  return terms.length > 1 ? { node: "and", kind: "boolean", terms, at } : terms[0];
}

function readGroupBy(reader: Reader, definition: Definition): Omit<Grouping, "filter"> {
  reader.expect("(");
  reader.expect("(");
  const by: string[] = [];
  do by.push(readGroupColumn(reader, definition, by));
  while (reader.accept(","));
  reader.expect(")", '"," or ")"');
  const isAggregated = reader.accept(",");
  if (isAggregated && !reader.acceptWord("aggregate")) reader.fail('"aggregate("');
  const aggregates = isAggregated ? readAggregates(reader, { definition, by }) : [];
  reader.expect(")");
  return { by, aggregates };
}

function readGroupColumn(reader: Reader, definition: Definition, before: readonly string[]): string {
  const { at } = reader.peek();
  const name = readColumnName(reader, definition);
  if (definition.types.get(name)?.sqlType === "jsonb")
    throw reader.fault(at, `expected a column that is not jsonb, found "${name}".`);
  if (before.includes(name)) throw reader.fault(at, `column "${name}" is there twice.`);
  if (before.length === maxColumns) throw reader.fault(at, `there are more than ${maxColumns} columns.`);
  return name;
}

function readColumnName(reader: Reader, definition: Definition): string {
  const { type, text } = reader.peek();
  if (type !== "word") reader.fail("a column");
  if (!definition.types.has(text)) throw unknownColumn(reader);
  reader.next();
  return text;
}

interface Scope {
  readonly definition: Definition;
  readonly by: readonly string[];
}

function readAggregates(reader: Reader, scope: Scope): Aggregate[] {
  reader.expect("(");
  const names = new Set(scope.by);
  const aggregates: Aggregate[] = [];
  do {
    const { at } = reader.peek();
    if (aggregates.length === maxAggregates)
      throw reader.fault(at, `there are more than ${maxAggregates} aggregates.`);
    const aggregate = readAggregate(reader, scope.definition);
    if (names.has(aggregate.name)) throw reader.fault(at, `the name "${aggregate.name}" is there twice.`);
    names.add(aggregate.name);
    aggregates.push(aggregate);
  } while (reader.accept(","));
  reader.expect(")", '"," or ")"');
  return aggregates;
}

function readAggregate(reader: Reader, definition: Definition): Aggregate {
  if (reader.accept("$count")) return aggregateOf("$count", undefined, readName(reader));
  const column = readColumnName(reader, definition);
  if (!reader.acceptWord("with")) reader.fail('"with"');
  const { at } = reader.peek();
  const method = reader.acceptWord(...methods) ?? reader.fail(methods.join(", "));
  const type = definition.types.get(column);
  const aggregate = aggregateOf(method, type && { column, type }, readName(reader));
  if (aggregate) return aggregate;
  throw reader.fault(
    at,
    `expected a method that column "${column}" has: there is no ${method} of its values.`,
  );
}

/** `as name`. The name is one that a column could have. */
function readName(reader: Reader): string {
  if (!reader.acceptWord("as")) reader.fail('"as"');
  const { type, text } = reader.peek();
  if (type !== "word" || !/^[a-z][a-z0-9_]{0,62}$/.test(text))
    reader.fail("a name of a-z, 0-9 and _, up to 63 characters");
  reader.next();
  return text;
}
