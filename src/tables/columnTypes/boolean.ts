import type { ColumnType } from "./columnType.ts";

/** Only `true` and `false`. PostgreSQL would also read other texts, such as `on`. */
export const boolean: ColumnType = {
  sqlType: "boolean",
  takes: "true or false",
  accepts: (value) => typeof value === "boolean",
  fromFilter: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  toText: String,
};
