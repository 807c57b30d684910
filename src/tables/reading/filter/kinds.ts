/** How kinds of values are called in messages, and which kind a column has. */
import type { ColumnType } from "../../columnTypes/columnType.ts";
import { columnTypes } from "../../columnTypes/index.ts";
import type { Kind } from "./expression.ts";

export const takes: Readonly<Record<Kind, string>> = {
  text: "a string in single quotes, such as 'Bandung'",
  number: "a number, such as 12.5",
  boolean: "true or false",
  date: "a date, such as 2026-01-31",
  timestamp: "a timestamp, such as 2026-01-31T08:30:00Z",
  json: "a string, a number, true, false or null",
  null: "null",
};

const kinds = new Map<ColumnType, Kind>([
  [columnTypes.text, "text"],
  [columnTypes.integer, "number"],
  [columnTypes.bigint, "number"],
  [columnTypes.numeric, "number"],
  [columnTypes.boolean, "boolean"],
  [columnTypes.date, "date"],
  [columnTypes.timestamp, "timestamp"],
  [columnTypes.jsonb, "json"],
]);

export function kindOf(type: ColumnType): Kind {
  const kind = kinds.get(type);
  if (!kind) throw new Error("A column type has no kind for filters.");
  return kind;
}
