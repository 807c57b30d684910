/**
 * Objects of uploads that were given up. A storage that hung may have taken the bytes all the same, and store them after
 * the object was removed. So it is removed again, for as long as that can be.
 */
import type { Sql } from "../infrastructure/database/connect.ts";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { Problem } from "../infrastructure/problem.ts";

/** Seconds between the removals, the first of which comes a minute after the upload's end. */
const removalsAfter = [540, 3_000];
const batchSize = 200;
/** A removal that began this long ago was given up too. */
const leaseSeconds = 60;

/** Has the sweep remove these keys again. Their rows may go. */
export const noteAbandoned = (sql: Sql, keys: readonly string[]) => sql`
  insert into waybill.given_up_objects (key)
  select json_array_elements_text(${JSON.stringify(keys)}::text::json) on conflict (key) do nothing`;

/** Throws `storage_unavailable`; what is left then is tried again a minute later. */
export async function removeAbandoned({ sql, storage, draining }: Infrastructure): Promise<void> {
  for (;;) {
    const keys = draining() ? [] : await claim(sql);
    for (const key of keys) {
      await storage.remove(key);
      await noteRemoval(sql, key);
    }
    if (keys.length < batchSize) return;
  }
}

async function claim(sql: Sql): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    with due as (
      select key from waybill.given_up_objects where next_at <= now()
      order by next_at limit ${batchSize} for update skip locked)
    update waybill.given_up_objects o set next_at = now() + make_interval(secs => ${leaseSeconds})
    from due where o.key = due.key
    returning o.key`;
  return rows.map(({ key }) => key);
}

async function noteRemoval(sql: Sql, key: string): Promise<void> {
  const [second = 0, third = 0] = removalsAfter;
  await sql`
    with counted as (
      update waybill.given_up_objects set removals = removals + 1,
        next_at = now() + make_interval(secs => case removals when 0 then ${second}::int else ${third}::int end)
      where key = ${key} and removals < ${removalsAfter.length})
    delete from waybill.given_up_objects where key = ${key} and removals >= ${removalsAfter.length}`;
}

/** An error of a storage that is away comes at once; after this long it hangs. */
const hangMs = 2_000;

/** Whether the storage hung since `begun`, so that asking it for more would make the client wait as long again. */
export const hasHung = (error: unknown, begun: number) =>
  error instanceof Problem && error.code === "storage_unavailable" && performance.now() - begun > hangMs;
