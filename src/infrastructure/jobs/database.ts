/**
 * Runs pg-boss on the server's own pool. So there is no second driver, which could read DATABASE_URL in another way,
 * and an outage is handled in one place (database/connect.ts).
 *
 * pg-boss is written for node-postgres, and postgres.js differs:
 * - pg-boss passes JSON as text. postgres.js would encode a string for a json parameter again, unless the parameter's
 *   type is `unknown`. Then it sends the text unchanged, and the server decides on the type.
 * - pg-boss sends scripts `begin; …; commit` without parameters. A script that fails leaves its connection in a broken
 *   transaction, so each gets a reserved connection and is rolled back there.
 * - pg-boss repeats a few statements, which are worth preparing.
 */
import type { ConstructorOptions } from "pg-boss";
import type postgres from "postgres";
import type { Fragment, Queryable, Sql } from "../database/connect.ts";
import { runShape } from "../database/prepared.ts";

type Parameters = postgres.ParameterOrJSON<never>[];
type BossDatabase = NonNullable<ConstructorOptions["db"]>;

/** PostgreSQL's pseudo-type for a literal whose type is not decided yet. */
const unknownType = 705;

/** Runs statements on the pool, or in a transaction of it (`sql`). */
export function bossDatabase(pool: Sql, sql: Queryable = pool): BossDatabase {
  const parameter = (value: unknown) =>
    typeof value === "string" ? sql.typed(value as never, unknownType) : (value ?? null);
  return {
    async executeSql(text, values = []) {
      if (/^\s*begin\b/i.test(text)) return { rows: await runScript(pool, text) };
      if (values.length === 0) return { rows: rowsOf(await sql.unsafe(text)) };
      return { rows: [...(await runShape(pool, text, values.map(parameter) as Parameters, sql))] };
    },
  };
}

/** The statement that pg-boss would run, as a part of another one. Its parameters are passed on by `parameterOf`. */
export async function statementOf(run: (database: BossDatabase) => Promise<unknown>): Promise<PartOf> {
  const captured: { text: string; values: unknown[] }[] = [];
  const executeSql = async (text: string, values: unknown[] = []) => {
    captured.push({ text, values });
    return { rows: [] };
  };
  await run({ executeSql });
  const [statement, second] = captured;
  if (!statement || second) throw new Error("pg-boss does not run one statement");
  return (sql, parameterOf) => partOf(sql, statement, parameterOf);
}

/** Makes the part. Not a promise of it: who awaits a query runs it. */
export type PartOf = (sql: Queryable, parameterOf: (value: string) => Fragment) => Fragment;

function partOf(
  sql: Queryable,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
  parameterOf: (value: string) => Fragment,
): Fragment {
  const [first = "", ...rest] = text.split(/\$(\d+)/);
  const strings = [first, ...rest.filter((_, index) => index % 2 === 1)];
  const parameters = rest
    .filter((_, index) => index % 2 === 0)
    .map((number) => parameterOf(String(values[Number(number) - 1])));
  return sql(Object.assign(strings, { raw: strings }) as never, ...(parameters as never[]));
}

async function runScript(pool: Sql, text: string): Promise<unknown[]> {
  const connection = await pool.reserve();
  try {
    return rowsOf(await connection.unsafe(text));
  } catch (error) {
    await connection.unsafe("rollback").catch(() => {});
    throw error;
  } finally {
    connection.release();
  }
}

/** A text with several statements returns a list of results. */
const rowsOf = (result: readonly unknown[]): unknown[] =>
  Array.isArray(result[0]) ? result.flat() : [...result];
