import { parseDecimal } from "../../infrastructure/decimal.ts";
import { numberText, parseJson } from "../../infrastructure/json.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { type ColumnType, maxGrowth } from "./columnType.ts";
import { fitsNumeric, growthOf } from "./numeric.ts";

/** Any JSON. PostgreSQL keeps its numbers as numeric, so each must fit that. */
export const jsonb: ColumnType = {
  sqlType: "jsonb",
  takes: "JSON whose numbers have at most 131072 digits before the point and 16383 after it",
  accepts: (value) => !Number.isNaN(growthOfJson(value)),
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

/** Of the arrays and objects of a request: they are judged once, and asked for twice. */
const judged = new WeakMap<object, number>();

/** How much a value grows when it is written out; NaN where a number in it does not fit. */
function growthOfJson(value: unknown): number {
  if (typeof value !== "object" || value === null) return growthOfScalar(value);
  const growth = judged.get(value) ?? judge(value);
  judged.set(value, growth);
  return growth;
}

function judge(value: object): number {
  if (JSON.isRawJSON(value)) return growthOfNumber(numberText(value) ?? "");
  let growth = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      growth += typeof item === "object" && item !== null ? judge(item) : growthOfScalar(item);
      if (isEnough(growth)) return growth;
    }
    return growth;
  }
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    growth += typeof item === "object" && item !== null ? judge(item) : growthOfScalar(item);
    if (isEnough(growth)) return growth;
  }
  return growth;
}

/** Too much, or NaN. */
const isEnough = (growth: number) => !(growth <= maxGrowth);

const growthOfScalar = (value: unknown) =>
  typeof value === "number" && hasExponent(value) ? growthOf(String(value)) : 0;

/** Whether JavaScript writes a number with one. */
const hasExponent = (value: number) => Math.abs(value) >= 1e21 || (value !== 0 && Math.abs(value) < 1e-6);

function growthOfNumber(text: string): number {
  // A body may hold millions such as 1.10, which lose a digit in JavaScript and grow nowhere.
  if (text.length <= 30 && !text.includes("e") && !text.includes("E")) return 0;
  const decimal = parseDecimal(text);
  return decimal && fitsNumeric(decimal) ? growthOf(text, decimal) : Number.NaN;
}
