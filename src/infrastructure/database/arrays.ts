/** Lists as one parameter: PostgreSQL plans `= any(array)` for a few rows, and goes by the index. */
import type { Queryable } from "./connect.ts";

const uuidType = 2950;

export const uuids = (sql: Queryable, ids: readonly string[]) =>
  sql`${sql.array([...ids], uuidType)}::uuid[]`;
