/** How a row is written into an answer: by PostgreSQL, as JSON, as far as it is not too large. */
import { maxRowBytes } from "../../infrastructure/database/boundedList.ts";
import { quoteIdentifier } from "../../infrastructure/database/identifiers.ts";
import type { ColumnType } from "../columnTypes/columnType.ts";
import { builtInColumns, type Definition } from "../definition.ts";
import { columnSql, typeOf } from "../statement.ts";

export interface AnswerColumn {
  readonly name: string;
  readonly type: Pick<ColumnType, "toAnswer" | "maxBytes">;
}

/** Every column, the built-in ones first. */
export const allColumns = (definition: Definition): readonly string[] => [
  ...Object.keys(builtInColumns),
  ...definition.columns.map(({ name }) => name),
];

const columnsOf = (definition: Definition, names: readonly string[]) =>
  names.map((name): AnswerColumn => ({ name, type: typeOf(definition, name) }));

/** The select list of an answer. */
export const answerColumns = (definition: Definition, names = allColumns(definition)) =>
  selectList(columnsOf(definition, names));

/** The JSON of a row `t` of the table, or null if the row is too large for an answer. */
export const rowJson = (definition: Definition, names = allColumns(definition)) =>
  jsonOfColumns(columnsOf(definition, names));

/**
 * The JSON of a row `t`, or null if the row is too large for an answer.
 *
 * PostgreSQL builds the JSON of a row in memory, with all columns at once. If a table has so many large columns that
 * several updates could make a row of a gigabyte, the sizes are added up first, one value at a time. `r.*` is necessary
 * because a column may be called r: `row_to_json(r)` would then mean that column.
 */
export function jsonOfColumns(columns: readonly AnswerColumn[]): string {
  const json = `(select row_to_json(r.*)::text from (select ${selectList(columns)}) r)`;
  const large = columns.filter(({ type }) => type.maxBytes);
  const most = large.reduce((sum, { type }) => sum + (type.maxBytes ?? 0), 0);
  if (most <= 2 * maxRowBytes) return json;
  const texts = large.map(({ name }) => `(${columnSql(name)}::text)`).join(", ");
  return `
        case
          when (
            select coalesce(sum(octet_length(v)), 0) <= ${maxRowBytes}
            from (values ${texts}) as x(v)
          )
          then ${json}
        end`;
}

const selectList = (columns: readonly AnswerColumn[]) =>
  columns
    .map(({ name, type }) => {
      const column = columnSql(name);
      return `${type.toAnswer?.(column) ?? column} as ${quoteIdentifier(name)}`;
    })
    .join(", ");
