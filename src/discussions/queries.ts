/** Statements on `waybill.discussion_participants`. */

import type { Participant } from "../generated/schemas.ts";
import { type JsonList, listAsJson } from "../infrastructure/database/boundedList.ts";
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";
import { utc } from "../infrastructure/database/timestamps.ts";
import type { Discussion } from "./participants.ts";

const columns = (sql: Queryable) => sql`
  user_id as "user", added_by, ${utc(sql, "added_at")} as added_at`;

export async function findParticipants(sql: Sql, discussion: Discussion): Promise<JsonList<Participant>> {
  return listAsJson<Participant>(
    sql,
    sql`
    select ${columns(sql)} from waybill.discussion_participants
    where tenant_id = ${discussion.tenantId} and process_instance_id = ${discussion.processInstanceId}
    order by waybill.discussion_participants.added_at, user_id`,
  );
}

/** Adds the user; answers who added them, and when, also where that was long ago. */
export async function insertParticipant(
  sql: Queryable,
  { tenantId, processInstanceId }: Discussion,
  { user, addedBy }: { user: string; addedBy: string },
): Promise<Participant> {
  const [row] = await sql<Participant[]>`
    insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
    values (${tenantId}, ${processInstanceId}, ${user}, ${addedBy})
    on conflict (tenant_id, process_instance_id, user_id) do update set user_id = excluded.user_id
    returning ${columns(sql)}`;
  if (!row) throw new Error("an upsert answers one row");
  return row;
}

/** Whether there was one to delete. */
export async function deleteParticipant(
  sql: Queryable,
  { tenantId, processInstanceId }: Discussion,
  user: string,
) {
  const { count } = await sql`
    delete from waybill.discussion_participants
    where tenant_id = ${tenantId} and process_instance_id = ${processInstanceId} and user_id = ${user}`;
  return count === 1;
}
