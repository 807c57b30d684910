/** What a reconcile compares: the objects that the storage lists, in a table that lasts as long as a connection. */
import type { Queryable } from "../database/connect.ts";

export interface SeenObject {
  readonly tenantId: number;
  readonly id: string;
  readonly modifiedAt: Date;
}

/** A place in the order of tenants and ids. */
export type Place = Pick<SeenObject, "tenantId" | "id">;

export const beforeAll: Place = { tenantId: 0, id: "00000000-0000-0000-0000-000000000000" };

/** Answers the database's clock, which rows are compared with. */
export async function createSeen(sql: Queryable): Promise<Date> {
  await sql`
    create temporary table seen_objects (
      tenant_id bigint, id uuid, modified_at timestamptz not null, primary key (tenant_id, id))`;
  const [row] = await sql<{ now: Date }[]>`select now()`;
  return row?.now ?? new Date();
}

export async function insertSeen(sql: Queryable, objects: readonly SeenObject[]): Promise<void> {
  await sql`
    insert into seen_objects (tenant_id, id, modified_at)
    select "tenantId", id, "modifiedAt"
    from json_to_recordset(${JSON.stringify(objects)}::text::json)
      as t("tenantId" bigint, id uuid, "modifiedAt" timestamptz)
    on conflict do nothing`;
}

export const analyzeSeen = (sql: Queryable) => sql`analyze seen_objects`;
export const dropSeen = (sql: Queryable) => sql`drop table if exists seen_objects`;

/** Objects without a row, last written an hour before `started` at the latest; in order, from after a place on. */
export async function objectsWithoutRows(
  sql: Queryable,
  { after, started, count }: { after: Place; started: Date; count: number },
): Promise<Place[]> {
  return sql<Place[]>`
    select s.tenant_id::float8 as "tenantId", s.id::text from seen_objects s
    where (s.tenant_id, s.id) > (${after.tenantId}::bigint, ${after.id}::uuid)
      and s.modified_at < ${started}::timestamptz - interval '1 hour'
      and not exists (select from waybill.attachments a where a.id = s.id and a.tenant_id = s.tenant_id)
    order by s.tenant_id, s.id limit ${count}`;
}

export type State = "receiving" | "draft" | "committed" | "deleting";

export interface UnseenRow extends Place {
  readonly state: State;
}

/**
 * Rows whose object was not seen and should have been: it was stored before `started`, or the row has been in passing
 * for an hour. In order, from after a place on.
 */
export async function rowsWithoutObjects(
  sql: Queryable,
  { after, started, count }: { after: Place; started: Date; count: number },
): Promise<UnseenRow[]> {
  return sql<UnseenRow[]>`
    select a.tenant_id::float8 as "tenantId", a.id::text, a.state from waybill.attachments a
    where a.id > ${after.id}::uuid
      and case when a.state in ('draft', 'committed') then a.uploaded_at < ${started}
               else a.state_since < ${started}::timestamptz - interval '1 hour' end
      and not exists (select from seen_objects s where s.tenant_id = a.tenant_id and s.id = a.id)
    order by a.id limit ${count}`;
}

/** Forgets an attachment that has no object and that no process has taken; false where its state has changed. */
export async function deleteLost(sql: Queryable, { id, state }: UnseenRow): Promise<boolean> {
  const { count } = await sql`
    delete from waybill.attachments where id = ${id} and state = ${state} and state <> 'committed'`;
  return count === 1;
}
