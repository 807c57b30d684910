import { maxPageBytes, maxRowBytes } from "../../infrastructure/database/boundedList.ts";
import type { Definition } from "../definition.ts";
import { columnSql, fromRegistry, Parameters, type Statement, tableSql } from "../statement.ts";
import { answerColumns, nullIfTooLarge } from "./answerRow.ts";
import { matchesSql, type Selection } from "./matches.ts";

/**
 * A page of rows, read in the order of `id`. Answers one row `{ current, fits, rows, total }`:
 *
 * - `current`: whether the registry still has the definition.
 * - `fits`: whether the page is small enough for one answer.
 * - `rows`: the rows' JSON, joined by commas; null if there are no rows or they do not fit.
 * - `total`: how many rows match; null if the caller does not want it.
 *
 * `page` holds references to large values only. PostgreSQL fetches the values when it writes the JSON, row by row until
 * the limit is exceeded, so neither side holds much more than that. A scan of a CTE keeps its order. `r.*` is necessary
 * because a column may be called r: `row_to_json(r)` would then mean that column.
 */
export function selectPage(
  definition: Definition,
  { limit, offset, total, ...selection }: Selection & { limit: number; offset: bigint; total: boolean },
): Statement {
  const parameters = new Parameters();
  const table = tableSql(definition);
  const columns = [...definition.types.keys()].map(columnSql).join(", ");
  const matches = matchesSql(definition, selection, parameters);
  const json = `(select row_to_json(r.*)::text from (select ${answerColumns(definition)}) r)`;
  const count = total ? `(select count(*)::text from ${table} t where ${matches})` : "null";
  const text = `
    with page as materialized (
      select ${columns}
      from ${table} t
      where ${matches}
      order by t."id"
      limit ${parameters.add(String(limit), "bigint")}
      offset ${parameters.add(String(offset), "bigint")}
    ),
    jsons as materialized (
      select ${nullIfTooLarge(definition, json)} as json
      from page t
    ),
    sizes as (
      select
        json,
        sum(octet_length(json)) over w as bytes,
        count(*) over w as rows
      from jsons
      window w as (rows unbounded preceding)
    ),
    verdict as materialized (
      select not exists (
        select
        from sizes
        where json is null
          or bytes > case rows when 1 then ${maxRowBytes} else ${maxPageBytes} end
      ) as fits
    )
    select
      exists (select 1 ${fromRegistry(definition)}) as current,
      fits,
      case when fits then (select string_agg(json, ',') from jsons) end as rows,
      ${count} as total
    from verdict`;
  return { text, parameters: parameters.values };
}
