/** What the result of a write tells of its rows: their ids, or the rows themselves. */
import { maxPageBytes, maxRowBytes } from "../../infrastructure/database/boundedList.ts";
import { quoteIdentifier } from "../../infrastructure/database/identifiers.ts";
import type { Definition } from "../definition.ts";
import { rowJson } from "../reading/answerRow.ts";
import { columnSql } from "../statement.ts";

/** Parts of the statement of `audited`, which calls the rows `changed`. */
export interface Answering {
  /** The select list of `returning`. The written table is called t. */
  readonly returning: string;
  /** CTEs after the change, each with a comma before it. */
  readonly ctes: string;
  /** Columns of the result: `ids` and `rows`, as JSON text. */
  readonly columns: string;
}

/** What a caller wants to know of the rows that it writes. */
export interface Wanted {
  readonly ids: boolean;
  /** The most bytes of JSON. If the rows have more, `rows` of the result is null. */
  readonly rows: { readonly maxBytes: number } | undefined;
}

export interface Changed {
  /** A query of all columns of `changed`, in the order of the answer. By default, that of the ids. */
  readonly ordered?: string;
  /** Columns that `returning` adds for `ordered`, by name. */
  readonly added?: Readonly<Record<string, string>>;
  /** Whether there is one row at most. */
  readonly isOne?: boolean;
  /** Whether the result tells the transaction that has written the row: `tag`. */
  readonly tag?: boolean;
  /** SQL for columns that have the same new value in every row. The rows do not carry it: it may be large. */
  readonly constants?: ReadonlyMap<string, string>;
}

/** Rows are in the order of their ids, which is the order in which an insert makes them. */
const byId = `select * from changed t order by t."id"`;

export function answeringOf(
  definition: Definition,
  { ids, rows }: Wanted,
  { ordered, added = {}, tag = false, isOne = false, constants = new Map() }: Changed = {},
): Answering | undefined {
  if (ids && !rows && !ordered)
    return { returning: columnSql("id"), ctes: "", columns: isOne ? oneId : idsById };
  if (!ids && !rows) return tag ? { returning: tagged, ctes: "", columns: tagColumn } : undefined;
  const names = rows ? [...definition.types.keys()].filter((name) => !constants.has(name)) : ["id"];
  const returning = [
    ...names.map(columnSql),
    ...Object.entries(added).map(([name, sql]) => `${sql} as ${quoteIdentifier(name)}`),
    ...(tag ? [tagged] : []),
  ].join(", ");
  const ctes = `,
    ordered as materialized (${ordered ?? byId})${rows ? rowsCtes(definition, rows, constants) : ""}`;
  const columns = [...(ids ? [idsColumn] : []), ...(rows ? [rowsColumn] : []), ...(tag ? [tagColumn] : [])];
  return { returning, ctes, columns: columns.join(", ") };
}

/** Many inserts are of one row, which should not pay for an order. */
const oneId = `(select '["' || "id" || '"]' from changed) as ids`;
const idsById = `(select json_agg("id"::text order by "id")::text from changed) as ids`;
const idsColumn = `(select json_agg("id"::text)::text from ordered) as ids`;
const rowsColumn = `
      (
        select case when fits then (select coalesce(string_agg(json, ','), '') from jsons) end
        from verdict
      ) as rows`;
const tagged = `t.xmin::text as "_transaction"`;
const tagColumn = `(select max("_transaction") from changed) as tag`;

/** `jsons` stops at the limit, as in selectPage.ts. */
function rowsCtes(
  definition: Definition,
  { maxBytes }: { readonly maxBytes: number },
  constants: ReadonlyMap<string, string>,
): string {
  const constant = [...constants].map(([name, sql]) => `, ${sql} as ${quoteIdentifier(name)}`).join("");
  return `,
    jsons as materialized (
      select ${rowJson(definition)} as json
      from (select o.*${constant} from ordered o) t
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
        select 1
        from sizes
        where json is null
          or bytes > least(${maxBytes}, case rows when 1 then ${maxRowBytes} else ${maxPageBytes} end)
      ) as fits
    )`;
}
