/** Default values of columns: which a column takes, how the registry keeps them, and their SQL. Pure. */
import type { ColumnType as ColumnTypeName } from "../generated/schemas.ts";
import { quoteLiteral } from "../infrastructure/database/identifiers.ts";
import { columnTypes } from "./columnTypes/index.ts";

/** As the default of a date or a timestamp: the moment of the insert. */
const now = "now()";
/** Characters of a default, as JSON. */
const maxLength = 10_000;

export const isNow = (type: ColumnTypeName, value: unknown) =>
  value === now && (type === "timestamp" || type === "date");

/** Undefined if the column takes the default. null means that there is none. */
export function defaultFault(type: ColumnTypeName, value: unknown): string | undefined {
  if (value === null || isNow(type, value)) return undefined;
  if (!columnTypes[type].accepts(value)) {
    const orNow = type === "timestamp" || type === "date" ? `, or "${now}"` : "";
    return `A default of this column is ${columnTypes[type].takes}${orNow}.`;
  }
  if (JSON.stringify(value).length <= maxLength) return undefined;
  return `A default has at most ${maxLength} characters.`;
}

/** An accepted default as the registry keeps it and answers show it: as a row's value is shown. */
export function storedDefault(type: ColumnTypeName, value: unknown): unknown {
  if (type === "bigint" || type === "numeric") return columnTypes[type].toText(value);
  return type === "integer" ? Number(columnTypes.integer.toText(value)) : value;
}

/** The default of a column whose type becomes wider. Undefined if the new type cannot hold its meaning. */
export function widenedDefault(from: ColumnTypeName, to: ColumnTypeName, value: unknown): unknown {
  if (isNow(from, value)) return undefined;
  return to === "text" ? columnTypes[from].toText(value) : storedDefault(to, value);
}

/** The SQL of a default that the column takes. */
export function defaultSql(type: ColumnTypeName, value: unknown): string {
  if (isNow(type, value)) return type === "date" ? "(now() at time zone 'UTC')::date" : "now()";
  const { sqlType, toText } = columnTypes[type];
  return `${quoteLiteral(toText(value))}::${sqlType}`;
}
