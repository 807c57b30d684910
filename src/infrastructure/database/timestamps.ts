/** Moments as the API tells them: RFC 3339, UTC, microseconds. */
import type { Queryable } from "./connect.ts";

/** As SQL text; `expression` is never a caller's. */
export const utcText = (expression: string) =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** As a fragment: of a column, `t.created_at` too. */
export const utc = (sql: Queryable, column: string) =>
  sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
