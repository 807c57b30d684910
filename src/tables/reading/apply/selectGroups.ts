import { quoteIdentifier } from "../../../infrastructure/database/identifiers.ts";
import type { ColumnType } from "../../columnTypes/columnType.ts";
import type { Definition } from "../../definition.ts";
import {
  type Condition,
  columnSql,
  fromRegistry,
  Parameters,
  type Statement,
  tableSql,
  typeOf,
} from "../../statement.ts";
import { jsonOfColumns } from "../answerRow.ts";
import { boundedRows } from "../boundedRows.ts";
import { matchesSql } from "../matches.ts";
import { type Order, orderSql } from "../order.ts";
import type { Grouping } from "./parseApply.ts";

export interface GroupsRequest {
  readonly grouping: Grouping;
  /** The equality filters. */
  readonly where: Condition;
  readonly order: Order;
  readonly limit: number;
  readonly offset: bigint;
  readonly total: boolean;
}

/** The columns of the answer with their types. */
export const groupTypes = (
  definition: Definition,
  { by, aggregates }: Grouping,
): ReadonlyMap<string, ColumnType> =>
  new Map([
    ...by.map((name) => [name, typeOf(definition, name)] as const),
    ...aggregates.map(({ name, type }) => [name, type] as const),
  ]);

/** A page of groups. Answers one row `{ current, fits, rows, total }`, as `selectPage` does. */
export function selectGroups(definition: Definition, request: GroupsRequest): Statement {
  const { grouping, where, order, limit, offset, total } = request;
  const parameters = new Parameters();
  const matches = matchesSql(definition, { where, filter: grouping.filter }, parameters);
  const types = groupTypes(definition, grouping);
  const by = grouping.by.map(columnSql);
  const columns = [
    ...grouping.by.map((name) => `${columnSql(name)} as ${quoteIdentifier(name)}`),
    ...grouping.aggregates.map(({ name, sql }) => `${sql} as ${quoteIdentifier(name)}`),
  ];
  const size = parameters.add(String(limit), "bigint");
  const json = jsonOfColumns([...types].map(([name, type]) => ({ name, type })));
  const text = `
    with grouped as materialized (
      select ${columns.join(", ")}
      from ${tableSql(definition)} t
      where ${matches}
      ${by.length > 0 ? `group by ${by.join(", ")}` : ""}
    ),
    page as materialized (
      select *
      from grouped t
      ${order.length > 0 ? `order by ${orderSql(order, () => true)}` : ""}
      limit ${size}
      offset ${parameters.add(String(offset), "bigint")}
    ),
    ${boundedRows(json, size).trim()}
    select
      exists (select ${fromRegistry(definition)}) as current,
      fits,
      case when fits then (select string_agg(json, ',') from jsons) end as rows,
      ${total ? "(select count(*)::text from grouped)" : "null"} as total
    from verdict`;
  return { text, parameters: parameters.values };
}
