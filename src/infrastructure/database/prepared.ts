import type postgres from "postgres";
import type { Queryable, Sql } from "./connect.ts";

/**
 * Runs a statement whose text is made at run time, on the pool or in a transaction of it (`on`). A text that comes back
 * often is prepared (shapeBudget.ts).
 */
export function runShape<Row extends postgres.Row>(
  pool: Sql,
  text: string,
  parameters: readonly postgres.ParameterOrJSON<never>[],
  on: Queryable = pool,
): Promise<postgres.RowList<Row[]>> {
  return on.unsafe<Row[]>(text, [...parameters], { prepare: pool.shapes.mayPrepare(text) });
}
