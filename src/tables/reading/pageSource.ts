/** The rows of a page as common table expressions, the last of which is `page`: one row more than the page has. */
import { quoteIdentifier } from "../../infrastructure/database/identifiers.ts";
import type { Definition } from "../definition.ts";
import { columnSql, type Parameters, tableSql } from "../statement.ts";
import type { Keys } from "./cursor.ts";
import { rowsAfter } from "./keyset.ts";
import { type Order, orderSql } from "./order.ts";

export interface PageOptions {
  readonly order: Order;
  readonly after: Keys | undefined;
  readonly limit: number;
  readonly offset: bigint;
}

interface Source extends PageOptions {
  readonly parameters: Parameters;
  /** The columns that the page needs. */
  readonly columns: readonly string[];
  /** A condition, and whether there is any. */
  readonly matches: string;
  readonly isFiltered: boolean;
}

/**
 * An order in which nulls come last does not fit a usual index if it is descending, and a row comparison says nothing
 * about nulls. So rows with and without a value in the first column are read one after the other, the latter only if
 * the former do not fill the page.
 */
export function pageSource(definition: Definition, source: Source): string {
  const { order, after, parameters } = source;
  if (after) {
    const { withValue, withoutValue } = rowsAfter(after, { order, definition, parameters });
    if (withValue && withoutValue) return inTwoParts(definition, source, withValue);
    return inOnePart(definition, source, withValue ?? withoutValue);
  }
  const [first] = order;
  const isIndexed = definition.indexes.some(({ columns }) => columns[0] === first?.name);
  // Where few rows match, the page is not full. Without an index, the table would be read twice.
  const isWorthIt = isIndexed || !source.isFiltered;
  const isBetterSplit = first?.descending && definition.nullable.has(first.name) && isWorthIt;
  return isBetterSplit && source.offset === 0n
    ? inTwoParts(definition, source, undefined)
    : inOnePart(definition, source, undefined);
}

function inOnePart(definition: Definition, source: Source, condition: string | undefined): string {
  const { parameters, limit, offset, order } = source;
  const skipped = offset === 0n ? "" : ` offset ${parameters.add(String(offset), "bigint")}`;
  const size = parameters.add(String(limit + 1), "bigint");
  const ordered = orderSql(order, (name) => definition.nullable.has(name));
  return `page as materialized (${rows(definition, source, { condition, ordered })}
      limit ${size}${skipped}
    )`;
}

function inTwoParts(definition: Definition, source: Source, withValue: string | undefined): string {
  const { order, parameters, limit } = source;
  const size = parameters.add(String(limit + 1), "bigint");
  const [first, ...rest] = order as [Order[number], ...Order];
  const column = columnSql(first.name);
  const isNullable = (name: string) => name !== first.name && definition.nullable.has(name);
  const ordered = orderSql(order, isNullable);
  const condition = [`${column} is not null`, ...(withValue ? [withValue] : [])].join(" and ");
  const isRoomLeft = `(select count(*) from valued) < ${size}`;
  const others = { condition: `${column} is null and ${isRoomLeft}`, ordered: orderSql(rest, isNullable) };
  return `valued as materialized (${rows(definition, source, { condition, ordered })}
      limit ${size}
    ),
    valueless as materialized (${rows(definition, source, others)}
      limit ${size}
    ),
    page as materialized (
      select *
      from (select *, 1 as "_part" from valued union all select *, 2 from valueless) t
      order by "_part", ${ordered}
      limit ${size}
    )`;
}

function rows(
  definition: Definition,
  { columns, matches }: Source,
  { condition, ordered }: { condition: string | undefined; ordered: string },
): string {
  return `
      select ${columns.map((name) => `${columnSql(name)} as ${quoteIdentifier(name)}`).join(", ")}
      from ${tableSql(definition)} t
      where ${matches}${condition ? ` and ${condition}` : ""}
      order by ${ordered}`;
}
