/** What the database says about a row that it does not take, although each value fits its column. */
import type postgres from "postgres";
import { databaseProblem } from "../../infrastructure/database/databaseProblem.ts";
import { Problem } from "../../infrastructure/problem.ts";
import type { Workers } from "../../infrastructure/workers/workers.ts";
import type { Definition } from "../definition.ts";
import { faultAt, type ImportPlan } from "./importPlan.ts";
import { lineOf, type Places } from "./importSlices.ts";

interface Context {
  readonly definition: Definition;
  readonly plan: ImportPlan;
  readonly workers: Workers;
  readonly group: string;
  readonly places: Places;
}

/** A Problem with the line of the row. Any error that no row can cause is returned unchanged. */
export async function refusedRow(error: postgres.PostgresError, context: Context): Promise<unknown> {
  // Class 22 is data exceptions, class 23 constraints. 54000: the row does not fit into a page of PostgreSQL.
  if (databaseProblem(error) || !/^(2[23]...|54000)$/.test(error.code)) return error;
  const code = error.code === "54000" ? "row_too_large" : "invalid_value";
  const number = Number(/^COPY [^\n]*, line (\d+)/.exec(error.where ?? "")?.[1]);
  if (!number)
    return new Problem(code, { message: `${sentence(error)} Nothing was imported.`, cause: error });
  const row = number - 1;
  const { workers, plan } = context;
  const line = (await lineOf(workers, plan, { ...context, row })) ?? 1;
  const { column, value } = keyOf(error);
  const fault = faultAt({ offset: 0, line, row }, { code, detail: sentence(error) }, { column, value });
  const { code: _, ...shown } = fault;
  return new Problem(code, { errors: [shown], cause: error });
}

const sentences: Readonly<Record<string, string>> = {
  "23502": "A column without a value does not allow null.",
  "23503": "The row refers to a row of another table that does not exist.",
  "23505": "Another row has this value, and the column allows each value once.",
};

const sentence = ({ code }: postgres.PostgresError) => sentences[code] ?? "The database refused this row.";

/** The column and the value that PostgreSQL names, such as `Key (code)=(A-1) already exists.` */
function keyOf({ detail = "", column_name }: postgres.PostgresError) {
  const [, column, value] = /^Key \((.*?)\)=\((.*)\) /s.exec(detail) ?? [];
  return { column: column ?? column_name, value };
}
