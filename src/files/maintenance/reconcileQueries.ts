/** Statements of a reconcile. The objects that the storage lists are in a temporary table of the connection. */
import type { Queryable } from "../../infrastructure/database/connect.ts";
import type { FileKind, FileRef } from "../fileKind.ts";

export interface SeenObject extends FileRef {
  readonly modifiedAt: Date;
}

/** Before the first file, in the order of tenants and ids. */
export const beforeAll: FileRef = { tenantId: 0, id: "00000000-0000-0000-0000-000000000000" };

/** Creates the table. Returns the database's time, with which the rows are compared. */
export async function createSeen(sql: Queryable): Promise<Date> {
  await sql`
    create temporary table seen_objects (
      tenant_id bigint,
      id uuid,
      modified_at timestamptz not null,
      primary key (tenant_id, id)
    )`;
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

export async function countBoth(sql: Queryable, kind: FileKind): Promise<{ objects: number; rows: number }> {
  const [row] = await sql<{ objects: number; rows: number }[]>`
    select (select count(*)::float8 from seen_objects) as objects,
           (select count(*)::float8 from (${kind.rows(sql)}) r) as rows`;
  return row ?? { objects: 0, rows: 0 };
}

/** One page of a comparison. `after`: the last file of the page before. */
export interface Page {
  readonly kind: FileKind;
  readonly after: FileRef;
  readonly started: Date;
  readonly count: number;
}

/** Objects without a row that were written at least an hour before `started`, in order. */
export async function objectsWithoutRows(
  sql: Queryable,
  { kind, after, started, count }: Page,
): Promise<FileRef[]> {
  return sql<FileRef[]>`
    select s.tenant_id::float8 as "tenantId", s.id::text
    from seen_objects s
    where (s.tenant_id, s.id) > (${after.tenantId}::bigint, ${after.id}::uuid)
      and s.modified_at < ${started}::timestamptz - interval '1 hour'
      and not exists (
        select from (${kind.rows(sql)}) r
        where r.id = s.id
          and r.tenant_id = s.tenant_id
      )
    order by s.tenant_id, s.id
    limit ${count}`;
}

export type State = "receiving" | "draft" | "committed" | "stored" | "deleting";

export interface UnseenRow extends FileRef {
  readonly state: State;
}

/**
 * Rows whose object was not listed and should have been, in order: the row was settled before `started`, or it has been
 * `receiving` or `deleting` for an hour.
 */
export async function rowsWithoutObjects(
  sql: Queryable,
  { kind, after, started, count }: Page,
): Promise<UnseenRow[]> {
  return sql<UnseenRow[]>`
    select r.tenant_id::float8 as "tenantId", r.id::text, r.state
    from (${kind.rows(sql)}) r
    where r.id > ${after.id}::uuid
      and r.since < ${started}::timestamptz - case when r.settled then interval '0' else interval '1 hour' end
      and not exists (
        select from seen_objects s
        where s.tenant_id = r.tenant_id
          and s.id = r.id
      )
    order by r.id
    limit ${count}`;
}
