import type { ColumnType } from "./columnType.ts";

/** `true` or `false` and nothing that PostgreSQL would also take for them. */
export const boolean: ColumnType = {
  sqlType: "boolean",
  takes: "true or false",
  accepts: (value) => typeof value === "boolean",
  fromFilter: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  toText: String,
};
