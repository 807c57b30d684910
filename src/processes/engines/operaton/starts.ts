/** Statements on `waybill.engine_starts`. See docs/decisions/processes.md. */
import type { Queryable, Sql, Tx } from "../../../infrastructure/database/connect.ts";

export interface NewStart {
  /** The instance's business key at the engine. */
  readonly id: string;
  readonly tenantId: number;
  readonly processKey: string;
  readonly businessKey: string | null;
  readonly startedBy: string | null;
  readonly formSessionId: string | null;
}

/** Attachments that a change has bound, by what they were before. */
export interface BoundFiles {
  readonly drafts: readonly string[];
  /** They were committed without an instance. */
  readonly finalized: readonly string[];
}

/** Fails with unique_violation `engine_starts_session` if the form session has begun a start. */
export async function insertStart(tx: Tx, start: NewStart, { drafts, finalized }: BoundFiles): Promise<void> {
  await tx`
    insert into waybill.engine_starts
      (id, tenant_id, process_key, business_key, started_by, form_session_id, drafts, finalized)
    values
      (${start.id}, ${start.tenantId}, ${start.processKey}, ${start.businessKey}, ${start.startedBy},
       ${start.formSessionId}, ${[...drafts]}::uuid[], ${[...finalized]}::uuid[])`;
}

export interface StartRef {
  readonly id: string;
  readonly tenantId: number;
}

/**
 * Binds the attachments of a start to its instance, and adds its starter to the discussion. Does nothing if the start
 * is settled, or if the tenant has no start of this id.
 */
export async function settleStart(
  sql: Queryable,
  { id, tenantId }: StartRef,
  processInstanceId: string,
): Promise<void> {
  await sql`
    with settled as (
      update waybill.engine_starts
         set process_instance_id = ${processInstanceId}
       where id = ${id}
         and tenant_id = ${tenantId}
         and process_instance_id is null
      returning started_by
    ),
    bound as (
      update waybill.attachments
         set process_instance_id = ${processInstanceId}
       where tenant_id = ${tenantId}
         and process_instance_id = ${id}::text
         and exists (select from settled)
    )
    insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
    select ${tenantId}, ${processInstanceId}, started_by, started_by
    from settled
    where started_by is not null
    on conflict do nothing`;
}

/** Removes a start of which the engine has made no instance. Its attachments are again what they were. */
export async function undoStart(sql: Queryable, { id, tenantId }: StartRef): Promise<void> {
  await sql`
    with undone as (
      delete from waybill.engine_starts
      where id = ${id}
        and tenant_id = ${tenantId}
        and process_instance_id is null
      returning drafts, finalized
    )
    update waybill.attachments a
       set state = case when a.id = any(u.drafts) then 'draft' else a.state end,
           state_since = now(),
           process_instance_id = null
      from undone u
     where a.tenant_id = ${tenantId}
       and a.process_instance_id = ${id}::text
       and a.state = 'committed'
       and (a.id = any(u.drafts) or a.id = any(u.finalized))`;
}

export interface StartRow {
  readonly id: string;
  readonly processKey: string;
  readonly businessKey: string | null;
  readonly startedBy: string | null;
  readonly processInstanceId: string | null;
}

const columns = (sql: Queryable) => sql`
  id::text, process_key as "processKey", business_key as "businessKey", started_by as "startedBy",
  process_instance_id as "processInstanceId"`;

export async function startOfSession(
  sql: Sql,
  tenantId: number,
  formSessionId: string,
): Promise<StartRow | undefined> {
  const [row] = await sql<StartRow[]>`
    select ${columns(sql)}
    from waybill.engine_starts
    where tenant_id = ${tenantId}
      and form_session_id = ${formSessionId}`;
  return row;
}

/** A start by its id. Undefined if it was undone. */
export async function startOf(sql: Sql, tenantId: number, id: string): Promise<StartRow | undefined> {
  const [row] = await sql<StartRow[]>`
    select ${columns(sql)}
    from waybill.engine_starts
    where tenant_id = ${tenantId}
      and id = ${id}`;
  return row;
}

/** The settled starts of these instances, by instance. */
export async function startsOf(
  sql: Sql,
  tenantId: number,
  processInstanceIds: readonly string[],
): Promise<ReadonlyMap<string, StartRow>> {
  if (processInstanceIds.length === 0) return new Map();
  const rows = await sql<StartRow[]>`
    select ${columns(sql)}
    from waybill.engine_starts
    where tenant_id = ${tenantId}
      and process_instance_id = any(${[...processInstanceIds]}::text[])`;
  return new Map(rows.map((row) => [row.processInstanceId ?? "", row]));
}

/** Instances with this business key, newest first. */
export async function instancesCalled(
  sql: Sql,
  tenantId: number,
  { businessKey, limit }: { readonly businessKey: string; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select process_instance_id as id
    from waybill.engine_starts
    where tenant_id = ${tenantId}
      and business_key = ${businessKey}
      and process_instance_id is not null
    order by created_at desc
    limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Instances that the user started, or in whose discussion the user takes part; the newest of each. */
export async function instancesVisibleTo(
  sql: Sql,
  tenantId: number,
  { user, limit }: { readonly user: string; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    (
      select process_instance_id as id
      from waybill.engine_starts
      where tenant_id = ${tenantId}
        and started_by = ${user}
        and process_instance_id is not null
      order by created_at desc
      limit ${limit}
    )
    union
    (
      select process_instance_id
      from waybill.discussion_participants
      where tenant_id = ${tenantId}
        and user_id = ${user}
      order by added_at desc
      limit ${limit}
    )`;
  return rows.map(({ id }) => id);
}

export interface UnsettledStart extends StartRef {
  readonly slug: string;
  readonly ageSeconds: number;
}

/** Starts whose answer was lost at least so many seconds ago, oldest first. */
export async function unsettledStarts(
  sql: Sql,
  { seconds, limit }: { readonly seconds: number; readonly limit: number },
): Promise<UnsettledStart[]> {
  return sql<UnsettledStart[]>`
    select s.id::text, s.tenant_id::float8 as "tenantId", t.slug,
           extract(epoch from now() - s.created_at)::float8 as "ageSeconds"
    from waybill.engine_starts s
    join waybill.tenants t on t.id = s.tenant_id
    where s.process_instance_id is null
      and s.created_at < now() - make_interval(secs => ${seconds})
    order by s.created_at
    limit ${limit}`;
}
