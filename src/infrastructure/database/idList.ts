import type { Fragment, Queryable } from "./connect.ts";

/**
 * A list of ids, for `= any(…)`. The planner does not look into it, so PostgreSQL plans the prepared statement once. A
 * plan that depends on the list's length would be made anew each time, and cost more than it saves.
 */
export const idList = (sql: Queryable, ids: readonly string[]): Fragment =>
  sql`array(select unnest(${ids}::uuid[]))`;
