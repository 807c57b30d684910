import { numberText, parseJson } from "../../json.ts";
import { Problem } from "../../problem.ts";
import { fitsNumeric, parseDecimal } from "../decimal.ts";
import type { ColumnType } from "./columnType.ts";

/** Any JSON. PostgreSQL keeps its numbers as numeric, so each must fit that. */
export const jsonb: ColumnType = {
  sqlType: "jsonb",
  takes: "JSON whose numbers have at most 131072 digits before the point and 16383 after it",
  accepts: isStorable,
  fromFilter: (text) => {
    try {
      return parseJson(text);
    } catch (error) {
      if (error instanceof Problem) return undefined;
      throw error;
    }
  },
  toText: (value) => JSON.stringify(value),
  sizeOf: (column) => `pg_column_size(${column})`,
};

function isStorable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (JSON.isRawJSON(value)) {
    const decimal = parseDecimal(numberText(value) ?? "");
    return decimal !== undefined && fitsNumeric(decimal);
  }
  return (Array.isArray(value) ? value : Object.values(value)).every(isStorable);
}
