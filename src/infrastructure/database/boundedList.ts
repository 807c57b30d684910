/**
 * Rows as a JSON list that PostgreSQL writes, up to a limit of bytes: one tenant's rows must not take the memory of a
 * process that all tenants share. PostgreSQL writes the rows one by one and stops at the limit.
 */
import type postgres from "postgres";
import { Problem } from "../problem.ts";
import type { Queryable } from "./connect.ts";

/** Most bytes of JSON, if there is more than one row. */
export const maxPageBytes = 16 * 1024 ** 2;
/** Most bytes of JSON, if there is one row only. */
export const maxRowBytes = 64 * 1024 ** 2;

export interface BoundedRows {
  readonly fits: boolean;
  /** The rows as JSON, with commas between them. Null if there are no rows, or if they do not fit. */
  readonly rows: string | null;
}

/** A list in a handler's answer. */
export interface JsonList<T> {
  readonly jsonText: string;
  readonly saying?: T[];
}

/**
 * The SQL text before and after a query. The result is one row of `fits`, `rows` and the columns of `more`. The rows
 * keep the order of the query.
 */
export const boundedList = (more = "") => ({
  before: "with page as materialized (",
  after: `),
    jsons as materialized (select row_to_json(page.*)::text as json from page),
    sizes as (
      select sum(octet_length(json)) over w as bytes,
             count(*) over w as rows
      from jsons
      window w as (rows unbounded preceding)),
    verdict as materialized (
      select not exists (
        select from sizes
        where bytes > case rows when 1 then ${maxRowBytes} else ${maxPageBytes} end) as fits)
    select fits,
           case when fits then (select string_agg(json, ',') from jsons) end as rows ${more}
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

/** The rows as a JSON list. Throws `answer_too_large`. */
export function jsonOf(row: BoundedRows | undefined): { readonly jsonText: string } {
  if (!row?.fits) throw answerTooLarge();
  return { jsonText: `[${row.rows ?? ""}]` };
}

export const answerTooLarge = (cause?: unknown) =>
  new Problem("answer_too_large", {
    message: "These rows are too large for one answer. Ask for fewer, with limit where there is one.",
    cause,
  });
