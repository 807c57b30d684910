/**
 * pg-boss over the server's own pool, so that it needs no second driver with another reading of DATABASE_URL, and
 * survives an outage as the rest does (database/connect.ts).
 *
 * What pg-boss expects of node-postgres and postgres.js does otherwise:
 * - JSON arrives as text already. postgres.js would turn a string for a json parameter into JSON once more, unless
 *   its type is `unknown`: then the text goes out as it is, and the server finds out the type as before.
 * - Scripts `begin; …; commit` without parameters. One that fails leaves its connection in a broken transaction, so
 *   each gets a connection of its own and is rolled back there.
 */
import type { ConstructorOptions } from "pg-boss";
import type { Sql } from "../database/connect.ts";

/** PostgreSQL's pseudo-type of a literal whose type is still open. */
const unknownType = 705;

export function bossDatabase(sql: Sql): NonNullable<ConstructorOptions["db"]> {
  const parameter = (value: unknown) =>
    typeof value === "string" ? sql.typed(value as never, unknownType) : (value ?? null);
  return {
    async executeSql(text, values = []) {
      if (/^\s*begin\b/i.test(text)) return { rows: await runScript(sql, text) };
      return { rows: rowsOf(await sql.unsafe(text, values.map(parameter) as never)) };
    },
  };
}

async function runScript(sql: Sql, text: string): Promise<unknown[]> {
  const connection = await sql.reserve();
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
