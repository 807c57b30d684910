/**
 * Compares the process's clock with the database's. The database decides what is due and what has expired. Access
 * tokens and form tokens are checked by the process's clock, as in any other service that accepts them.
 */
import type { Logger } from "pino";
import type { Sql } from "./connect.ts";

/** Seconds. A smaller difference may come from the network. */
const tolerance = 5;

/**
 * How many seconds the process's clock is ahead of the database's, negative if it is behind. Undefined if the two agree
 * within five seconds plus the time that the query took.
 */
export async function clockOffset(sql: Sql, now: () => Date): Promise<number | undefined> {
  const before = now().getTime();
  const [row] = await sql<{ ms: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
  const after = now().getTime();
  const offset = ((before + after) / 2 - (row?.ms ?? after)) / 1000;
  const doubt = Math.abs(after - before) / 2000;
  return Math.abs(offset) > tolerance + doubt ? Math.round(offset) : undefined;
}

/** For the log and `GET /readyz`. */
export const offsetMessage = (seconds: number) =>
  `This process's clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} the database's.`;

/** Logs a warning if the two clocks differ. */
export async function warnOfClock({
  control,
  now,
  log,
}: {
  readonly control: Sql;
  readonly now: () => Date;
  readonly log: Logger;
}): Promise<void> {
  const seconds = await clockOffset(control, now);
  if (seconds !== undefined) log.warn({ clock_offset_seconds: seconds }, offsetMessage(seconds));
}
