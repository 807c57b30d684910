/**
 * Objects of abandoned uploads. A storage that hung may store an object after Waybill removed it. So the sweep removes
 * it again, after 1, 10 and 60 minutes.
 */
import type { Sql } from "../infrastructure/database/connect.ts";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { Problem } from "../infrastructure/problem.ts";

/** Seconds from the first removal to the second, and from the second to the third. The table sets the first. */
const removalIntervals = [540, 3_000];
const batchSize = 200;
/** A process that claimed a removal this long ago has failed; another one may claim it. */
const leaseSeconds = 60;

/** Schedules the removals of these keys. The rows of their files can then be deleted. */
export const noteAbandoned = (sql: Sql, keys: readonly string[]) => sql`
  insert into waybill.given_up_objects (key)
  select json_array_elements_text(${JSON.stringify(keys)}::text::json)
  on conflict (key) do nothing`;

/** Removes the objects that are due. Throws `storage_unavailable`; the rest is tried again a minute later. */
export async function removeAbandoned({ sql, storage, draining }: Infrastructure): Promise<void> {
  for (;;) {
    const keys = draining() ? [] : await claim(sql);
    for (const key of keys) {
      await storage.remove(key);
      await countRemoval(sql, key);
    }
    if (keys.length < batchSize) return;
  }
}

/** Claims up to `batchSize` keys for this process, until the lease ends. */
async function claim(sql: Sql): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    with due as (
      select key
      from waybill.given_up_objects
      where next_at <= now()
      order by next_at
      limit ${batchSize}
      for update skip locked
    )
    update waybill.given_up_objects o
    set next_at = now() + make_interval(secs => ${leaseSeconds})
    from due
    where o.key = due.key
    returning o.key`;
  return rows.map(({ key }) => key);
}

/** Schedules the next removal, or deletes the row after the last one. */
async function countRemoval(sql: Sql, key: string): Promise<void> {
  const [second = 0, third = 0] = removalIntervals;
  await sql`
    with counted as (
      update waybill.given_up_objects
      set removals = removals + 1,
          next_at = now() + make_interval(
            secs => case removals when 0 then ${second}::int else ${third}::int end
          )
      where key = ${key}
        and removals < ${removalIntervals.length}
    )
    delete from waybill.given_up_objects
    where key = ${key}
      and removals >= ${removalIntervals.length}`;
}

/** An unreachable storage fails faster than this; a failure that took longer means that the storage hangs. */
const hangMs = 2_000;

/** Whether the storage has hung since `begun`. A second call would make the client wait as long again. */
export const hasHung = (error: unknown, begun: number) =>
  error instanceof Problem && error.code === "storage_unavailable" && performance.now() - begun > hangMs;
