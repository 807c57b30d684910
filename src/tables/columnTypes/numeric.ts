import { numberText } from "../../infrastructure/json.ts";
import { fitsNumeric, growthOf, parseDecimal } from "../decimal.ts";
import type { ColumnType } from "./columnType.ts";

/** A decimal of any precision. A string in answers, with every digit that was given. */
export const numeric: ColumnType = {
  sqlType: "numeric",
  takes: "a number, or a decimal string, with at most 131072 digits before the point and 16383 after it",
  accepts: (value) => {
    if (isPlain(value)) return true;
    const decimal = parseDecimal(decimalText(value) ?? "");
    return decimal !== undefined && fitsNumeric(decimal);
  },
  fromFilter: (text) => text,
  toText: (value) => decimalText(value) ?? "",
  growth: (value) => (isPlain(value) ? 0 : growthOf(decimalText(value) ?? "")),
  maxBytes: 150_000,
  toAnswer: (column) => `${column}::text`,
};

/** A short decimal string: the common case, told by a pattern alone. */
const isPlain = (value: unknown) =>
  typeof value === "string" && /^-?(0|[1-9]\d{0,99})(\.\d{1,99})?$/.test(value);

const decimalText = (value: unknown) => (typeof value === "string" ? value : numberText(value));
