/** The column types, by the name that a request gives in `type`. */
import type { ColumnType as ColumnTypeName } from "../../generated/schemas.ts";
import { bigint } from "./bigint.ts";
import { boolean } from "./boolean.ts";
import type { ColumnType } from "./columnType.ts";
import { date } from "./date.ts";
import { integer } from "./integer.ts";
import { jsonb } from "./jsonb.ts";
import { numeric } from "./numeric.ts";
import { text } from "./text.ts";
import { timestamp } from "./timestamp.ts";

export const columnTypes: Readonly<Record<ColumnTypeName, ColumnType>> = {
  text,
  integer,
  bigint,
  numeric,
  boolean,
  date,
  timestamp,
  jsonb,
};
