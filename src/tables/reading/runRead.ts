/** Runs a statement that reads a tenant's table, under the time limit for such statements. */
import postgres from "postgres";
import { answerTooLarge } from "../../infrastructure/database/boundedList.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { Problem } from "../../infrastructure/problem.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { Definition } from "../definition.ts";
import { stale, withDefinition } from "../definitionCache.ts";
import type { Statement } from "../statement.ts";

/** What every such statement answers in its one row. */
interface Read {
  readonly current: boolean;
  readonly fits: boolean;
}

interface ReadOptions {
  readonly tenant: Tenant;
  readonly table: string;
  /** Whether the statement's text has a part that the caller can write freely, so that there can be any number. */
  readonly isFree: boolean;
  readonly statement: (definition: Definition) => Statement;
}

/** The row that the statement answers. Throws `table_not_found`, `answer_too_large` and `query_too_slow`. */
export async function runRead<Row extends Read>(
  { sql, caches, config }: Pick<Infrastructure, "sql" | "caches" | "config">,
  { tenant, table, isFree, statement }: ReadOptions,
): Promise<Row> {
  const seconds = config.tablesStatementTimeoutSeconds;
  const row = await withDefinition({ sql, caches }, { tenant, table }, async (definition) => {
    const { text, parameters } = statement(definition);
    const prepare = sql.shapes.mayPrepare(text, isFree ? "free" : "usual");
    const [found] = await sql
      .limited({ text, parameters, prepare }, seconds)
      .catch((error) => refuse(error, seconds));
    return found?.current ? (found as unknown as Row) : stale;
  });
  if (!row.fits) throw answerTooLarge();
  return row;
}

function refuse(error: unknown, seconds: number): never {
  if (!(error instanceof postgres.PostgresError)) throw error;
  // program_limit_exceeded: PostgreSQL cannot write a value because it is too large.
  if (error.code === "54000") throw answerTooLarge(error);
  // query_canceled. The same request would take as long again, so it is no 503.
  if (error.code === "57014") throw tooSlow(seconds, error);
  // numeric_value_out_of_range: a sum has more digits than PostgreSQL can hold.
  if (error.code === "22003") throw answerTooLarge(error);
  throw error;
}

/** The database did not answer in time. */
export const tooSlow = (seconds: number, cause?: unknown) =>
  new Problem("query_too_slow", {
    message:
      `The query took longer than ${pluralize(seconds, "second")}. ` +
      "Narrow it down, or filter and order by columns that have an index.",
    cause,
  });
