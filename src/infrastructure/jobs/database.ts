/**
 * pg-boss over the server's own pool, so that it needs no second driver with another reading of DATABASE_URL, and
 * survives an outage as the rest does (database/connect.ts).
 *
 * What pg-boss expects of node-postgres and postgres.js does otherwise:
 * - JSON arrives as text already. postgres.js would turn a string for a json parameter into JSON once more, unless
 *   its type is `unknown`: then the text goes out as it is, and the server finds out the type as before.
 * - Scripts `begin; …; commit` without parameters. One that fails leaves its connection in a broken transaction, so
 *   each gets a connection of its own and is rolled back there.
 * - The same few statements again and again, which are worth preparing.
 */
import type { ConstructorOptions } from "pg-boss";
import type postgres from "postgres";
import type { Queryable, Sql } from "../database/connect.ts";
import { runShape } from "../database/prepared.ts";

type Parameters = postgres.ParameterOrJSON<never>[];

/** PostgreSQL's pseudo-type of a literal whose type is still open. */
const unknownType = 705;

/** On the pool, or in a transaction of it. */
export function bossDatabase(pool: Sql, sql: Queryable = pool): NonNullable<ConstructorOptions["db"]> {
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

/** Several statements in one text answer a list of results. */
const rowsOf = (result: readonly unknown[]): unknown[] =>
  Array.isArray(result[0]) ? result.flat() : [...result];
