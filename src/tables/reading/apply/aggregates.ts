/** The methods of `aggregate(…)`: their SQL, and how their values are answered. */
import type { ColumnType } from "../../columnTypes/columnType.ts";
import { columnTypes } from "../../columnTypes/index.ts";
import { columnSql } from "../../statement.ts";

export const methods = ["sum", "average", "min", "max", "countdistinct"] as const;
export type Method = (typeof methods)[number] | "$count";

export interface Aggregate {
  /** The name of its values in the answer. */
  readonly name: string;
  readonly sql: string;
  /** The type that its values have. Sums and averages are numeric, so no digit is lost. */
  readonly type: ColumnType;
}

interface Target {
  readonly column: string;
  readonly type: ColumnType;
}

const { integer, bigint, numeric, text, date, timestamp, jsonb } = columnTypes;
const numbers: readonly ColumnType[] = [integer, bigint, numeric];
const ordered: readonly ColumnType[] = [...numbers, text, date, timestamp];

/** Without a target, `$count`. Undefined if the column's type does not have the method. */
export function aggregateOf(method: "$count", target: undefined, name: string): Aggregate;
export function aggregateOf(method: Method, target: Target | undefined, name: string): Aggregate | undefined;
export function aggregateOf(method: Method, target: Target | undefined, name: string): Aggregate | undefined {
  // PostgreSQL counts with 64 bits, but there are never as many rows as a double cannot count.
  if (!target) return { name, sql: "count(*)", type: integer };
  const { type } = target;
  const column = columnSql(target.column);
  if (method === "countdistinct" && type !== jsonb)
    return { name, sql: `count(distinct ${column})`, type: integer };
  if ((method === "min" || method === "max") && ordered.includes(type))
    return { name, sql: `${method}(${column})`, type };
  if ((method === "sum" || method === "average") && numbers.includes(type))
    return { name, sql: `${method === "sum" ? "sum" : "avg"}(${column})::numeric`, type: numeric };
  return undefined;
}
