import { parseDecimal } from "../../infrastructure/decimal.ts";
import { numberText, parseJson } from "../../infrastructure/json.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { type ColumnType, maxGrowth } from "./columnType.ts";
import { fitsNumeric, growthOf } from "./numeric.ts";

/** Any JSON. PostgreSQL stores its numbers as numeric, so each number must fit into that type. */
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
  // A request of 32 MiB, plus the blanks that PostgreSQL writes between items.
  maxBytes: 48 * 1024 ** 2,
};

/** The growth of a request's arrays and objects. It is needed twice, by `accepts` and by `growth`. */
const measured = new WeakMap<object, number>();

/** By how many characters a value grows when PostgreSQL writes it. NaN if a number in it does not fit. */
function growthOfJson(value: unknown): number {
  if (typeof value !== "object" || value === null) return growthOfScalar(value);
  const growth = measured.get(value) ?? measure(value);
  measured.set(value, growth);
  return growth;
}

function measure(value: object): number {
  if (JSON.isRawJSON(value)) return growthOfNumber(numberText(value) ?? "");
  let growth = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      growth += typeof item === "object" && item !== null ? measure(item) : growthOfScalar(item);
      if (isEnough(growth)) return growth;
    }
    return growth;
  }
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    growth += typeof item === "object" && item !== null ? measure(item) : growthOfScalar(item);
    if (isEnough(growth)) return growth;
  }
  return growth;
}

/** Whether the growth is too much or NaN, so that the rest need not be counted. */
const isEnough = (growth: number) => !(growth <= maxGrowth);

const growthOfScalar = (value: unknown) =>
  typeof value === "number" && hasExponent(value) ? growthOf(String(value)) : 0;

/** Whether JavaScript writes the number with an exponent. */
const hasExponent = (value: number) => Math.abs(value) >= 1e21 || (value !== 0 && Math.abs(value) < 1e-6);

function growthOfNumber(text: string): number {
  // A body can hold millions of numbers such as 1.10, which are kept as text and do not grow.
  if (text.length <= 30 && !text.includes("e") && !text.includes("E")) return 0;
  const decimal = parseDecimal(text);
  return decimal && fitsNumeric(decimal) ? growthOf(text, decimal) : Number.NaN;
}
