/** Statements on `waybill.discussion_participants`. Downloads ask here too who takes part in a discussion. */
import type { Participant } from "../generated/schemas.ts";
import { type JsonList, listAsJson } from "../infrastructure/database/boundedList.ts";
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";
import { utc } from "../infrastructure/database/timestamps.ts";

/** The discussion of one process instance, in one tenant. */
export interface Discussion {
  readonly tenantId: number;
  readonly processInstanceId: string;
}

const columns = (sql: Queryable) => sql`
  user_id as "user", added_by, ${utc(sql, "added_at")} as added_at`;

/** All participants, in the order in which they joined. Throws `answer_too_large`. */
export async function findParticipants(sql: Sql, discussion: Discussion): Promise<JsonList<Participant>> {
  return listAsJson<Participant>(
    sql,
    sql`
      select ${columns(sql)}
      from waybill.discussion_participants
      where tenant_id = ${discussion.tenantId}
        and process_instance_id = ${discussion.processInstanceId}
      order by waybill.discussion_participants.added_at, user_id`,
  );
}

export async function isParticipant(sql: Sql, { tenantId, processInstanceId }: Discussion, user: string) {
  const rows = await sql`
    select
    from waybill.discussion_participants
    where tenant_id = ${tenantId}
      and process_instance_id = ${processInstanceId}
      and user_id = ${user}`;
  return rows.length > 0;
}

/** Those of the instances in whose discussion the user takes part. */
export async function findParticipations(
  sql: Sql,
  {
    tenantId,
    processInstanceIds,
  }: { readonly tenantId: number; readonly processInstanceIds: readonly string[] },
  user: string,
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`
    select process_instance_id as id
    from waybill.discussion_participants
    where tenant_id = ${tenantId}
      and process_instance_id = any(${processInstanceIds}::text[])
      and user_id = ${user}`;
  return new Set(rows.map(({ id }) => id));
}

/** Adds the user. Answers the first entry, also if the user was added earlier by somebody else. */
export async function insertParticipant(
  sql: Queryable,
  { tenantId, processInstanceId }: Discussion,
  { user, addedBy }: { user: string; addedBy: string },
): Promise<Participant> {
  const [row] = await sql<Participant[]>`
    insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
    values (${tenantId}, ${processInstanceId}, ${user}, ${addedBy})
    on conflict (tenant_id, process_instance_id, user_id) do update
      set user_id = excluded.user_id
    returning ${columns(sql)}`;
  if (!row) throw new Error("An upsert returned no row.");
  return row;
}

/** Returns false if the user did not take part. */
export async function deleteParticipant(
  sql: Queryable,
  { tenantId, processInstanceId }: Discussion,
  user: string,
): Promise<boolean> {
  const { count } = await sql`
    delete from waybill.discussion_participants
    where tenant_id = ${tenantId}
      and process_instance_id = ${processInstanceId}
      and user_id = ${user}`;
  return count === 1;
}
