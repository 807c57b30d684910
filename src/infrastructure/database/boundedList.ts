/**
 * A list's rows as JSON that the database writes, up to a size: one tenant's rows must not take the memory of a process
 * that all tenants share. PostgreSQL writes the rows one by one and stops at the limit.
 */
import type postgres from "postgres";
import { Problem } from "../problem.ts";
import type { Queryable } from "./connect.ts";

/** Bytes of JSON. Several rows are not put together beyond this. */
export const maxPageBytes = 16 * 1024 ** 2;
/** A row alone may have more. */
export const maxRowBytes = 64 * 1024 ** 2;

export interface BoundedRows {
  readonly fits: boolean;
  /** The rows' JSON with commas between; null where there are none, and where they do not fit. */
  readonly rows: string | null;
}

/** As a handler answers it. */
export interface JsonList<T> {
  readonly jsonText: string;
  readonly saying?: T[];
}

/** SQL text around a query, before and after it. Answers one row of `fits`, `rows` and `more`. A CTE keeps its order. */
export const boundedList = (more = "") => ({
  before: "with page as materialized (",
  after: `),
    jsons as materialized (select row_to_json(page.*)::text as json from page),
    sizes as (
      select sum(octet_length(json)) over w as bytes, count(*) over w as rows
      from jsons window w as (rows unbounded preceding)),
    verdict as materialized (
      select not exists (
        select from sizes where bytes > case rows when 1 then ${maxRowBytes} else ${maxPageBytes} end) as fits)
    select fits, case when fits then (select string_agg(json, ',') from jsons) end as rows ${more}
    from verdict`,
});

/** A JSON array of the query's rows. Throws `answer_too_large`. */
export async function listAsJson<T>(
  sql: Queryable,
  query: postgres.PendingQuery<postgres.Row[]>,
): Promise<JsonList<T>> {
  const { before, after } = boundedList();
  const [row] = await sql<BoundedRows[]>`${sql.unsafe(before)} ${query} ${sql.unsafe(after)}`;
  return jsonOf(row);
}

/** Throws `answer_too_large`. */
export function jsonOf(row: BoundedRows | undefined): { readonly jsonText: string } {
  if (!row?.fits) throw answerTooLarge();
  return { jsonText: `[${row.rows ?? ""}]` };
}

export const answerTooLarge = (cause?: unknown) =>
  new Problem("answer_too_large", {
    message: "These rows are too large for one answer. Ask for fewer, with limit where there is one.",
    cause,
  });
