/** The transaction of a change, and names that no table can have. */
import type postgres from "postgres";
import type { Sql, Tx } from "../../infrastructure/database/connect.ts";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { keepingAnswer, type Once } from "../../tenants/idempotency/once.ts";
import type { TableFacts } from "./facts.ts";

/** Everybody else who uses the table waits behind a change that waits for its lock. */
const lockTimeout = "2s";
/** Below the time after which a connection without traffic is closed (http/bind.ts). */
const changeSeconds = 45;

/** Runs a statement in the time that is left. */
export type Run = (statement: string) => Promise<void>;

/**
 * Runs a change on a connection of its own, because it may take longer than a request's statement. With `once`, its
 * answer is kept in the transaction.
 */
export async function changeTransaction<T>(
  sql: Sql,
  work: (tx: Tx, run: Run) => Promise<T>,
  once?: Once<T>,
): Promise<T> {
  const connection: postgres.ReservedSql & Partial<Pick<Sql, "begin">> = await sql.reserve();
  const startedAt = performance.now();
  const leftMs = () => Math.ceil(startedAt + changeSeconds * 1000 - performance.now());
  try {
    return (await connection.begin(async (tx) => {
      await tx.unsafe(`set local lock_timeout = '${lockTimeout}'`);
      let limitMs = 0;
      const run = async (statement: string) => {
        const left = leftMs();
        if (left <= 0) throw tooSlow();
        // PostgreSQL limits each statement, not all of them together.
        if (Math.abs(limitMs - left) > 500) {
          limitMs = left;
          await tx.unsafe(`set local statement_timeout = ${left}`);
        }
        await tx.unsafe(statement);
      };
      return keepingAnswer(tx, once, () => work(tx, run));
    })) as T;
  } catch (error) {
    throw isCancelled(error) && leftMs() <= 0 ? tooSlow(error) : error;
  } finally {
    connection.release();
  }
}

/** query_canceled */
const isCancelled = (error: unknown) => error instanceof Error && "code" in error && error.code === "57014";

const tooSlow = (cause?: unknown) =>
  new Problem("change_impossible", {
    message: `The change takes more than ${changeSeconds} seconds. Nothing was changed.`,
    cause,
  });

/**
 * Waits until nobody uses the table, and keeps it so. The first thing that a change does: who has a part of the table
 * before the whole can wait for somebody who waits for that part.
 */
export const lockTable = (tx: Tx, schema: string, table: string) =>
  tx.unsafe(`lock table ${quoteTable(schema, table)} in access exclusive mode`);

/** Names of tables begin with a letter, so no table has such a name. */
export const newName = (prefix: string) => `_${prefix}_${Bun.randomUUIDv7().replaceAll("-", "")}`;

/**
 * The primary key's index and the sequence of `id` are relations too, so their names are in use. They get names that no
 * table can have when the table loses its name.
 */
export function namedParts(schema: string, tableId: number, { named }: Pick<TableFacts, "named">): string[] {
  const { primaryKey, sequence } = named;
  const statements: string[] = [];
  if (primaryKey !== null && !primaryKey.startsWith("_"))
    statements.push(
      `alter index ${quoteTable(schema, primaryKey)} rename to ${quoteIdentifier(`_key_${tableId}`)}`,
    );
  if (sequence !== null && !sequence.startsWith("_"))
    statements.push(
      `alter sequence ${quoteTable(schema, sequence)} rename to ${quoteIdentifier(`_sequence_${tableId}`)}`,
    );
  return statements;
}
