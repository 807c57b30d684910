/**
 * A query under a time limit of its own.
 *
 * A limit that is set by a statement counts from the next one on. So it is sent before the query, and reset after it,
 * without waiting for an answer in between: it costs no round trip. PostgreSQL resets it also if the query fails.
 */
import type postgres from "postgres";

/** The limit that every session has. */
export const sessionTimeoutSeconds = 30;

export interface LimitedQuery {
  readonly text: string;
  readonly parameters: readonly postgres.ParameterOrJSON<never>[];
  readonly prepare: boolean;
}

/** PostgreSQL stops the query after so many seconds, with SQLSTATE 57014. */
export function runLimited(sql: postgres.Sql, { text, parameters, prepare }: LimitedQuery, seconds: number) {
  const query = sql.unsafe(text, [...parameters], { prepare });
  if (seconds === sessionTimeoutSeconds) return query;
  const set = sql.unsafe(`set statement_timeout = '${seconds}s'`).simple().execute();
  query.execute();
  const reset = sql.unsafe("reset statement_timeout").simple().execute();
  // They fail only with their connection, and the query fails too then.
  for (const setting of [set, reset]) setting.catch(() => {});
  return query;
}
