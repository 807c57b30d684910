/** The JSON of a page's rows, as far as they are small enough for one answer. */
import { maxPageBytes, maxRowBytes } from "../../infrastructure/database/boundedList.ts";

/**
 * Common table expressions after `page`. The last one, `verdict`, is one row `fits`; `jsons` has the rows. `json` is
 * the SQL of one row's JSON, or of null if the row is too large. PostgreSQL writes row by row until the limit is
 * exceeded, so neither side holds much more than that. A scan of a CTE keeps its order.
 */
export const boundedRows = (json: string, limit: string) => `
    jsons as materialized (
      select ${json} as json
      from page t
      limit ${limit}
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
    )`;
