import { integerOf, parseDecimal } from "../../infrastructure/decimal.ts";
import { numberText } from "../../infrastructure/json.ts";
import type { ColumnType } from "./columnType.ts";

/** 32 bits. A JSON number in requests and answers. */
export const integer: ColumnType = {
  sqlType: "integer",
  takes: "a whole number from -2147483648 to 2147483647",
  accepts: (value) =>
    typeof value === "number"
      ? Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31
      : isWhole(numberText(value), -(2n ** 31n), 2n ** 31n - 1n),
  fromFilter: (text) => (/^-?\d+$/.test(text) && parseDecimal(text) ? JSON.rawJSON(text) : undefined),
  toText: (value) => wholeText(numberText(value)),
  // An integer type would refuse 1e3 and 1.0, which are whole numbers in JSON.
  recordType: "numeric",
};

/** Whether a text is a whole number within the bounds. `1e3` and `2.0` are whole numbers. */
export function isWhole(text: string | undefined, least: bigint, most: bigint): boolean {
  const whole = text === undefined ? undefined : integerOf(text);
  return whole !== undefined && whole >= least && whole <= most;
}

/** Only the sign and the digits, as an integer type reads them. */
export const wholeText = (text: string | undefined) => String(integerOf(text ?? ""));
