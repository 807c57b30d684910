import type { Definition } from "../definition.ts";
import { columnSql, fromRegistry, Parameters, type Statement, tableSql, typeOf } from "../statement.ts";
import { rowJson } from "./answerRow.ts";
import { boundedRows } from "./boundedRows.ts";
import { matchesSql, type Selection } from "./matches.ts";
import type { Order } from "./order.ts";
import { type PageOptions, pageSource } from "./pageSource.ts";

export interface PageRequest extends Selection, PageOptions {
  /** The columns of the answer. */
  readonly columns: readonly string[];
  readonly total: boolean;
}

/**
 * A page of rows. Answers one row `{ current, fits, rows, total, more, keys }`:
 *
 * - `current`: whether the registry still has the definition.
 * - `fits`: whether the page is small enough for one answer.
 * - `rows`: the rows' JSON, joined by commas; null if there are no rows or they do not fit.
 * - `total`: how many rows match; null if the caller does not want it.
 * - `more`: whether there are rows after the page.
 * - `keys`: for the next cursor, if there are more; null if they are too long for one.
 *
 * `page` holds references to large values only. PostgreSQL fetches the values when it writes the JSON.
 */
export function selectPage(definition: Definition, request: PageRequest): Statement {
  const { columns, order, limit, total } = request;
  const parameters = new Parameters();
  const matches = matchesSql(definition, request, parameters);
  const isFiltered = request.filter !== undefined || Object.keys(request.where).length > 0;
  const needed = [...new Set([...columns, ...order.map(({ name }) => name)])];
  const page = pageSource(definition, { ...request, columns: needed, parameters, matches, isFiltered });
  const size = parameters.add(String(limit), "bigint");
  const count = total ? `(select count(*)::text from ${tableSql(definition)} t where ${matches})` : "null";
  const text = `
    with ${page},
    ${boundedRows(rowJson(definition, columns), size).trim()},
    rest as materialized (
      select count(*) > ${size} as more
      from page
    )
    select
      exists (select ${fromRegistry(definition)}) as current,
      fits,
      case when fits then (select string_agg(json, ',') from jsons) end as rows,
      ${count} as total,
      more,
      case when more then (select ${keysJson(definition, order)} from page t limit 1 offset ${size} - 1) end as keys
    from verdict, rest`;
  return { text, parameters: parameters.values };
}

/** Bytes. Longer values do not fit into a cursor that fits into a URL. */
const maxKeyBytes = 4_000;

/** The order's values as a JSON array of texts, or null if they are too long together. */
function keysJson(definition: Definition, order: Order): string {
  const texts = order.map(({ name }) => {
    const column = columnSql(name);
    return typeOf(definition, name).toAnswer?.(column) ?? `${column}::text`;
  });
  const bytes = texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(" + ");
  return `case when ${bytes} <= ${maxKeyBytes} then json_build_array(${texts.join(", ")})::text end`;
}
