import type { ColumnType } from "./columnType.ts";

/** Every text that PostgreSQL can hold: any Unicode except U+0000 and halves of surrogate pairs. */
export const text: ColumnType = {
  sqlType: "text",
  takes: "a string (without U+0000)",
  accepts: (value) => typeof value === "string" && !value.includes("\0") && value.isWellFormed(),
  fromFilter: (value) => value,
  toText: String,
  maxBytes: 32 * 1024 ** 2,
};
