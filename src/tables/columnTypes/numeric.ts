import { numberText } from "../../json.ts";
import { fitsNumeric, parseDecimal } from "../decimal.ts";
import type { ColumnType } from "./columnType.ts";

/** A decimal of any precision. A string in answers, with every digit that was given. */
export const numeric: ColumnType = {
  sqlType: "numeric",
  takes: "a number, or a decimal string, with at most 131072 digits before the point and 16383 after it",
  accepts: (value) => {
    const decimal = parseDecimal(decimalText(value) ?? "");
    return decimal !== undefined && fitsNumeric(decimal);
  },
  fromFilter: (text) => text,
  toText: (value) => decimalText(value) ?? "",
  toAnswer: (column) => `${column}::text`,
};

const decimalText = (value: unknown) => (typeof value === "string" ? value : numberText(value));
