/** Statements on service tasks and incidents: waiting → running → completed, or → incident → waiting. */
import type { Queryable, Sql, Tx } from "../../../infrastructure/database/connect.ts";
import type { NewIncident, ServiceTaskJob } from "../../serviceTasks.ts";
import { type DeliveryRow, deliveryRows } from "../../variables/queries.ts";

export interface TaskRow {
  readonly id: string;
  readonly tenantId: number;
  readonly processInstanceId: string;
  readonly processKey: string;
  readonly definitionId: string;
  readonly activityId: string;
  readonly executionId: string;
  readonly attempt: number;
  readonly rerun: number;
  /** JSON text. */
  readonly outcome: string | null;
}

export interface ClaimedRow extends TaskRow {
  /** All of the instance, where they are small; else null. */
  readonly variables: readonly DeliveryRow[] | null;
}

/** Bytes of an instance's variables together that come with its task, without another statement. */
const smallVariables = 64 * 1024;

const columns = (sql: Queryable) => sql`
  t.id::text, t.tenant_id::float8 as "tenantId", t.process_instance_id::text as "processInstanceId",
  i.process_key as "processKey", i.definition_id::text as "definitionId", t.activity_id as "activityId",
  t.execution_id as "executionId", t.attempt, t.rerun, t.outcome::text as outcome`;

/**
 * Counts the attempt, on from those of earlier passes through the activity: the Idempotency-Key is made of it. Two passes
 * at once may count alike: the constraint lets one have the number, and the other's job runs again. Only what waits is
 * taken, or what its last process left before anything was sent; and never what a later run of the same job has taken,
 * which happens where a process was paused between the job and its task.
 */
export async function claimTask(
  sql: Sql,
  { service_task_id, rerun }: ServiceTaskJob,
  retries: number,
): Promise<ClaimedRow | undefined> {
  const [row] = await sql<ClaimedRow[]>`
    update waybill.service_tasks t set state = 'running', sent_at = null, claimed_by_retry = ${retries}, attempt = 1 + (
      select max(p.attempt) from waybill.service_tasks p
      where p.process_instance_id = t.process_instance_id and p.activity_id = t.activity_id)
    from waybill.process_instances i
    where t.id = ${service_task_id} and t.rerun = ${rerun} and i.id = t.process_instance_id and i.state = 'active'
      and t.claimed_by_retry <= ${retries}
      and (t.state = 'waiting' or (t.state = 'running' and t.sent_at is null))
    returning ${columns(sql)}, case
      when (select coalesce(sum(octet_length(v.value)), 0) from waybill.process_variables v
            where v.process_instance_id = i.id) <= ${smallVariables}
      then coalesce(${deliveryRows(sql, "i.id")}, '[]') end as variables`;
  return row;
}

/** The attempt as it was claimed, whoever did; undefined where another one has begun since. */
export async function findAttempt(sql: Sql, { id, attempt }: Attempt): Promise<TaskRow | undefined> {
  const [row] = await sql<TaskRow[]>`
    select ${columns(sql)} from waybill.service_tasks t
    join waybill.process_instances i on i.id = t.process_instance_id
    where t.id = ${id} and t.attempt = ${attempt}`;
  return row;
}

/** What an earlier run of the job, in a process that is gone, left after the request had gone out. */
export async function findInterrupted(
  sql: Sql,
  { service_task_id, rerun }: ServiceTaskJob,
  retries: number,
): Promise<TaskRow | undefined> {
  const [row] = await sql<TaskRow[]>`
    select ${columns(sql)} from waybill.service_tasks t
    join waybill.process_instances i on i.id = t.process_instance_id
    where t.id = ${service_task_id} and t.rerun = ${rerun} and t.state = 'running' and t.sent_at is not null
      and t.claimed_by_retry < ${retries}`;
  return row;
}

type Attempt = Pick<TaskRow, "id" | "attempt">;

/** Whether the attempt is still the one that runs. */
export async function markTaskSent(sql: Sql, { id, attempt }: Attempt): Promise<boolean> {
  const { count } = await sql`
    update waybill.service_tasks set sent_at = now()
    where id = ${id} and attempt = ${attempt} and state = 'running' and sent_at is null`;
  return count === 1;
}

/**
 * Takes the mark back: the attempt has sent nothing. Where it is an incident by now, because its process was taken for
 * dead, the incident says so.
 */
export async function unmarkTask(sql: Sql, { id, attempt }: Attempt, message: string): Promise<void> {
  await sql`
    with unmarked as (
      update waybill.service_tasks set sent_at = null
      where id = ${id} and attempt = ${attempt} and state in ('running', 'incident') returning id, state)
    update waybill.incidents n set request_sent = 'no', message = ${message}
    from unmarked u
    where u.state = 'incident' and n.service_task_id = u.id and n.attempt = ${attempt}
      and n.type = 'interrupted' and n.resolved_at is null`;
}

/**
 * Whether the attempt's result still counts: also where its process was taken for dead and became an incident, and where
 * a rerun waits that has not begun, for a late answer is an answer all the same.
 */
export async function closeTask(tx: Tx, { id, attempt }: Attempt): Promise<boolean> {
  const [row] = await tx<{ closed: boolean }[]>`
    with closed as (
      update waybill.service_tasks set state = 'completed', outcome = null
      where id = ${id} and attempt = ${attempt} and state in ('running', 'incident', 'waiting') returning id),
    resolved as (
      update waybill.incidents set resolved_at = now()
      where service_task_id in (select id from closed) and resolved_at is null)
    select exists (select from closed) as closed`;
  return row?.closed ?? false;
}

/**
 * The attempt becomes an incident, which keeps what was answered where the process could not go on with it; whether the
 * attempt still counts. An incident that it is already, since its process was taken for dead, says from now on what is
 * known; "interrupted" is the least that can be known and replaces nothing.
 */
export async function insertIncident(
  sql: Queryable,
  task: TaskRow,
  incident: NewIncident & { readonly outcome?: string },
): Promise<boolean> {
  const { outcome = null } = incident;
  const [row] = await sql<{ raised: boolean }[]>`
    with failed as (
      update waybill.service_tasks
      set state = 'incident', outcome = coalesce(${outcome}::text::json, case when state = 'incident' then outcome end)
      where id = ${task.id} and attempt = ${task.attempt} and (state = 'running' or (state = 'incident' and ${incident.type !== "interrupted"})) returning id),
    corrected as (
      update waybill.incidents
      set type = ${incident.type}, message = ${incident.message}, request_sent = ${incident.requestSent}
      where service_task_id in (select id from failed) and resolved_at is null returning service_task_id),
    added as (
      ${incidentOf(sql, task, incident)} from failed where id not in (select service_task_id from corrected))
    select exists (select from failed) as raised`;
  return row?.raised ?? false;
}

const incidentOf = (sql: Queryable, task: TaskRow, { type, message, requestSent }: NewIncident) => sql`
  insert into waybill.incidents (id, tenant_id, process_instance_id, process_key, activity_id, service_task_id, type,
                                 message, request_sent, attempt)
  select ${Bun.randomUUIDv7()}::text::uuid, ${task.tenantId}, ${task.processInstanceId}::text::uuid, ${task.processKey},
         ${task.activityId}, id, ${type}, ${message}, ${requestSent}, ${task.attempt}`;

export interface TimerIncident {
  /** The event; empty where it is not known. */
  readonly activityId: string;
  readonly type: string;
  readonly message: string;
}

/** Whether it is a new one: an event has one incident at a time. */
export async function insertTimerIncident(
  sql: Sql,
  instance: { readonly id: string; readonly tenantId: number },
  { activityId, type, message }: TimerIncident,
): Promise<boolean> {
  const { count } = await sql`
    insert into waybill.incidents (id, tenant_id, process_instance_id, process_key, activity_id, type, message,
                                   request_sent, attempt)
    select ${Bun.randomUUIDv7()}, ${instance.tenantId}, i.id, i.process_key, ${activityId}, ${type}, ${message}, 'no', 0
    from waybill.process_instances i where i.id = ${instance.id} and i.state = 'active' and not exists (
      select from waybill.incidents o
      where o.process_instance_id = i.id and o.service_task_id is null and o.resolved_at is null
        and o.activity_id = ${activityId})`;
  return count === 1;
}

export interface OpenIncident {
  readonly processInstanceId: string;
  readonly serviceTaskId: string | null;
  readonly resolved: boolean;
}

/** Its instance first, as every step does: so none deadlock. */
export async function lockIncident(tx: Tx, tenantId: number, id: string): Promise<OpenIncident | undefined> {
  await tx`
    select from waybill.process_instances i
    where i.id = (select n.process_instance_id from waybill.incidents n where n.id = ${id} and n.tenant_id = ${tenantId})
    for update`;
  const [row] = await tx<OpenIncident[]>`
    select process_instance_id::text as "processInstanceId", service_task_id::text as "serviceTaskId",
           resolved_at is not null as resolved
    from waybill.incidents where id = ${id} and tenant_id = ${tenantId} for update`;
  return row;
}

/** The job of the new run; undefined where the task is no longer an incident. */
export async function startRerun(tx: Tx, serviceTaskId: string): Promise<ServiceTaskJob | undefined> {
  const [job] = await tx<ServiceTaskJob[]>`
    update waybill.service_tasks set state = 'waiting', rerun = rerun + 1, sent_at = null, claimed_by_retry = 0
    where id = ${serviceTaskId} and state = 'incident'
    returning id::text as service_task_id, tenant_id::float8 as tenant_id, rerun`;
  return job;
}

export const resolveIncident = (tx: Tx, id: string) =>
  tx`update waybill.incidents set resolved_at = now() where id = ${id}`;
