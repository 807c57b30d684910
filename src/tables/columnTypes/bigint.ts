import { numberText } from "../../infrastructure/json.ts";
import type { ColumnType } from "./columnType.ts";
import { isWhole, wholeText } from "./integer.ts";

/** 64 bits. Answers have it as a string, because a JavaScript client would round the number. */
export const bigint: ColumnType = {
  sqlType: "bigint",
  takes: "a whole number, or its digits as a string, from -9223372036854775808 to 9223372036854775807",
  accepts: (value) => isPlain(value) || isWhole(digitsOf(value), -(2n ** 63n), 2n ** 63n - 1n),
  fromFilter: (text) => text,
  toText: (value) => wholeText(digitsOf(value)),
  recordType: "numeric",
  toAnswer: (column) => `${column}::text`,
};

/** Too few digits to overflow: the common case, which one pattern recognises. */
const isPlain = (value: unknown) => typeof value === "string" && /^-?(0|[1-9]\d{0,17})$/.test(value);

const digitsOf = (value: unknown) =>
  typeof value === "string" ? /^-?\d+$/.exec(value)?.[0] : numberText(value);
