/**
 * Keys of changes that another system makes: no transaction of ours can contain them. The key is taken before the other
 * system is told, with a note. The answer comes later, or the key is released if nothing was done. If neither happens,
 * because the process was killed or the answer was lost, the note says what has to be looked up.
 */
import type { Sql } from "../../infrastructure/database/connect.ts";
import { runShape } from "../../infrastructure/database/prepared.ts";
import { type IdempotentRequest, idOf, recent, tableOf } from "./keys.ts";

export interface Pending {
  readonly note: string;
  readonly ageSeconds: number;
}

/** What is known of a change whose answer is missing. */
export async function findPending(sql: Sql, request: IdempotentRequest): Promise<Pending | undefined> {
  const text = `
    select body as note, extract(epoch from now() - created_at)::float8 as "ageSeconds"
    from ${tableOf(request)}
    where id = $1
      and status is null
      and body is not null
      and ${recent}`;
  const [row] = await runShape<Pending & Record<string, never>>(sql, text, [idOf(request)]);
  return row;
}

/** Lets the key be taken again: nothing was done. Does nothing if the key has an answer, or another note. */
export async function releaseKey(sql: Sql, request: IdempotentRequest, note: string): Promise<void> {
  const text = `
    delete from ${tableOf(request)}
    where id = $1
      and status is null
      and body = $2::text`;
  await runShape(sql, text, [idOf(request), note]);
}
