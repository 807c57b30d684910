/** How a row is written into an answer: by PostgreSQL, as JSON, as far as it is not too large. */
import { maxRowBytes } from "../../infrastructure/database/boundedList.ts";
import { quoteIdentifier } from "../../infrastructure/database/identifiers.ts";
import { builtInColumns, type Definition } from "../definition.ts";
import { columnSql, typeOf } from "../statement.ts";

/** The select list of an answer: the built-in columns, then the table's own ones. */
export function answerColumns(definition: Definition): string {
  const names = [...Object.keys(builtInColumns), ...definition.columns.map((column) => column.name)];
  return names
    .map((name) => {
      const column = columnSql(name);
      return `${typeOf(definition, name).toAnswer?.(column) ?? column} as ${quoteIdentifier(name)}`;
    })
    .join(", ");
}

/**
 * A row's JSON, or null if the row is too large for an answer.
 *
 * PostgreSQL builds the JSON of a row in memory, with all columns at once. If a table has so many large columns that
 * several updates could make a row of a gigabyte, the sizes are added up first, one value at a time.
 */
export function nullIfTooLarge(definition: Definition, json: string): string {
  const large = definition.columns.filter(({ name }) => typeOf(definition, name).maxBytes);
  const most = large.reduce((sum, { name }) => sum + (typeOf(definition, name).maxBytes ?? 0), 0);
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
