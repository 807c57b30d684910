import { integerOf, parseDecimal } from "../../infrastructure/decimal.ts";
import { numberText } from "../../infrastructure/json.ts";
import type { ColumnType } from "./columnType.ts";

/** 32 bits. A number in JSON, in requests and answers. */
export const integer: ColumnType = {
  sqlType: "integer",
  takes: "a whole number from -2147483648 to 2147483647",
  accepts: (value) =>
    typeof value === "number"
      ? Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31
      : isWhole(numberText(value), -(2n ** 31n), 2n ** 31n - 1n),
  fromFilter: (text) => (/^-?\d+$/.test(text) && parseDecimal(text) ? JSON.rawJSON(text) : undefined),
  toText: (value) => wholeText(numberText(value)),
  // So that 1e3 and 1.0, which JSON calls whole, are read as such.
  recordType: "numeric",
};

/** Whether a number's text is a whole number within bounds; `1e3` and `2.0` are whole. */
export function isWhole(text: string | undefined, least: bigint, most: bigint): boolean {
  const whole = text === undefined ? undefined : integerOf(text);
  return whole !== undefined && whole >= least && whole <= most;
}

/** The digits alone, as an integer type reads them. */
export const wholeText = (text: string | undefined) => String(integerOf(text ?? ""));
