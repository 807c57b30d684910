/** Writes that are about one row, which has to be there and, with `If-Match`, unchanged. */
import type { Sql } from "../../infrastructure/database/connect.ts";
import { runShape } from "../../infrastructure/database/prepared.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { columnTypes } from "../columnTypes/index.ts";
import type { Definition } from "../definition.ts";
import { columnSql, Parameters, tableSql } from "../statement.ts";
import { type IfMatch, parseIfMatch, transactionsOf } from "./etags.ts";
import type { RowGuard } from "./statements.ts";

export interface OneRow {
  readonly id: string;
  /** Whether the path names the row. Then it is an error if there is none. */
  readonly isNamed: boolean;
  readonly ifMatch: IfMatch | undefined;
}

/** In place of an id that does not fit its column. No row has it: ids begin with 1. */
const noId = "-9223372036854775808";

/** The row of a path. Throws `invalid_parameter`. */
export const namedRow = (id: string, ifMatch: string | undefined): OneRow => ({
  id: columnTypes.bigint.toText(columnTypes.bigint.accepts(id) ? id : noId),
  isNamed: true,
  ifMatch: ifMatch === undefined ? undefined : parseIfMatch(ifMatch),
});

/**
 * The row of a condition, if the request has an `If-Match`. Throws `invalid_parameter` if the condition is about other
 * columns than `id`.
 */
export function rowOfCondition(where: unknown, ifMatch: string | undefined): OneRow | undefined {
  if (ifMatch === undefined) return undefined;
  const names = typeof where === "object" && where !== null ? Object.keys(where) : [];
  const id = (where as { readonly id?: unknown } | null)?.id;
  if (names.length !== 1 || id === undefined || id === null || !columnTypes.bigint.accepts(id))
    throw notOneRow();
  return { id: columnTypes.bigint.toText(id), isNamed: false, ifMatch: parseIfMatch(ifMatch) };
}

export const guardOf = ({ id, ifMatch }: OneRow): RowGuard => ({ transactions: transactionsOf(ifMatch, id) });

/** Why nothing was changed. An `If-Match` says nothing of a row that is not there (RFC 9110, 13.2.1). */
export async function notChanged(
  sql: Sql,
  definition: Definition,
  { id, isNamed, ifMatch }: OneRow,
): Promise<Problem> {
  if (isNamed && (ifMatch === undefined || !(await exists(sql, definition, id))))
    return new Problem("row_not_found", {
      message: `Table "${definition.name}" has no row with the id ${id}.`,
    });
  return new Problem("precondition_failed", {
    message: "Somebody else has changed or deleted the row. Read it again. Nothing was changed.",
  });
}

async function exists(sql: Sql, definition: Definition, id: string): Promise<boolean> {
  const parameters = new Parameters();
  const text = `
    select 1
    from ${tableSql(definition)} t
    where ${columnSql("id")} = ${parameters.add(id, "bigint")}`;
  return (await runShape(sql, text, parameters.values)).length > 0;
}

const notOneRow = () =>
  new Problem("invalid_parameter", {
    errors: [{ pointer: "/header/if-match", detail: "It needs a condition on id, and on no other column." }],
  });
