import { numberText, parseJson } from "../../json.ts";
import { Problem } from "../../problem.ts";
import { fitsNumeric, growthOf, parseDecimal } from "../decimal.ts";
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
  growth: growthOfJson,
  // A request's 32 MiB, with the blanks that PostgreSQL puts between items.
  maxBytes: 48 * 1024 ** 2,
};

function isStorable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (JSON.isRawJSON(value)) {
    const decimal = parseDecimal(numberText(value) ?? "");
    return decimal !== undefined && fitsNumeric(decimal);
  }
  return (Array.isArray(value) ? value : Object.values(value)).every(isStorable);
}

function growthOfJson(value: unknown): number {
  if (typeof value === "number") return hasExponent(value) ? growthOf(String(value)) : 0;
  if (typeof value !== "object" || value === null) return 0;
  if (JSON.isRawJSON(value)) return growthOf(numberText(value) ?? "");
  let growth = 0;
  for (const item of Array.isArray(value) ? value : Object.values(value)) growth += growthOfJson(item);
  return growth;
}

/** Whether JavaScript writes a number with one. */
const hasExponent = (value: number) => Math.abs(value) >= 1e21 || (value !== 0 && Math.abs(value) < 1e-6);
