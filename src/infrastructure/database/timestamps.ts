/** Timestamps as the API shows them: RFC 3339, UTC, with microseconds. */
import type { Queryable } from "./connect.ts";

/** As SQL text. Never call it with an expression that comes from a caller. */
export const utcText = (expression: string) =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** As a fragment, for a column such as `created_at` or `t.created_at`. */
export const utc = (sql: Queryable, column: string) =>
  sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
