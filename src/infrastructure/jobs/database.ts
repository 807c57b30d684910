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
import type { Queryable, Sql } from "../database/connect.ts";
import { runShape } from "../database/prepared.ts";

type Parameters = postgres.ParameterOrJSON<never>[];

/** PostgreSQL's pseudo-type for a literal whose type is not decided yet. */
const unknownType = 705;

/** Runs statements on the pool, or in a transaction of it (`sql`). */
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

/** A text with several statements returns a list of results. */
const rowsOf = (result: readonly unknown[]): unknown[] =>
  Array.isArray(result[0]) ? result.flat() : [...result];
