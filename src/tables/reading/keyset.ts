/**
 * Conditions on the rows that come after others in an order: the page after a cursor. An index on the order's first
 * columns finds them wherever the page is.
 */
import type { Definition } from "../definition.ts";
import { columnSql, type Parameters, typeOf } from "../statement.ts";
import type { Keys } from "./cursor.ts";
import type { Order, OrderTerm } from "./order.ts";

interface Key extends OrderTerm {
  /** The column's SQL. */
  readonly column: string;
  /** The value's placeholder. Undefined for null. */
  readonly value: string | undefined;
  readonly nullable: boolean;
}

export interface Keyset {
  /** Of the rows whose first column has a value. Undefined if none of them comes after the cursor. */
  readonly withValue: string | undefined;
  /** Of the rows whose first column has none. Undefined if the column allows no null. */
  readonly withoutValue: string | undefined;
}

/** The rows after these keys. An index can find each of the two parts, but not both together. */
export function rowsAfter(
  keys: Keys,
  { order, definition, parameters }: { order: Order; definition: Definition; parameters: Parameters },
): Keyset {
  const all = order.map((term, at): Key => {
    const key = keys[at] ?? null;
    const { sqlType } = typeOf(definition, term.name);
    const value = key === null ? undefined : parameters.add(key, sqlType);
    return { ...term, column: columnSql(term.name), value, nullable: definition.nullable.has(term.name) };
  });
  const [first, ...rest] = all;
  if (!first) throw new Error("An order has at least one column.");
  const isNull = first.nullable ? `${first.column} is null` : undefined;
  if (first.value === undefined)
    return { withValue: undefined, withoutValue: `${isNull} and ${later(rest)}` };
  return { withValue: laterValues(first, rest), withoutValue: isNull };
}

/**
 * With a row comparison if the order allows it: an index on all columns then begins exactly at the cursor. Otherwise
 * the first column has a bound of its own, at which an index on it begins.
 */
function laterValues(first: Key, rest: readonly Key[]): string {
  const keys = [first, ...rest];
  const isUniform = keys.every(({ descending, value }) => !descending && value !== undefined);
  if (isUniform && rest.every(({ nullable }) => !nullable))
    return `(${keys.map(({ column }) => column).join(", ")}) > (${keys.map(({ value }) => value).join(", ")})`;
  const { column, value, descending } = first;
  if (rest.length === 0) return `${column} ${descending ? "<" : ">"} ${value}`;
  // Not as in `later`: PostgreSQL would count both conditions on the column, and expect far too few rows.
  return `${column} ${descending ? "<=" : ">="} ${value} and (${column} <> ${value} or ${later(rest)})`;
}

/** The rows that come later in the first column, or are equal in it and come later in the others. */
function later(keys: readonly Key[]): string {
  const [first, ...rest] = keys;
  if (!first) return "false";
  const { column, value, nullable, descending } = first;
  const isEqual = value === undefined ? `${column} is null` : `${column} = ${value}`;
  const equal = rest.length > 0 ? [`(${isEqual} and ${later(rest)})`] : [];
  // Nulls come last, so nothing comes after them.
  if (value === undefined) return equal[0] ?? "false";
  const isLater = `${column} ${descending ? "<" : ">"} ${value}`;
  return `(${[isLater, ...(nullable ? [`${column} is null`] : []), ...equal].join(" or ")})`;
}
