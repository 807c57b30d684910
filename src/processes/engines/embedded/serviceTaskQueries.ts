/** Statements on `waybill.service_tasks`: waiting → running → completed, or → incident → waiting. */
import postgres from "postgres";
import type { Queryable, Sql, Tx } from "../../../infrastructure/database/connect.ts";
import { idList } from "../../../infrastructure/database/idList.ts";
import type { Closing } from "./instanceQueries.ts";
import { type DeliveryRow, deliveryRows } from "./variableQueries.ts";

export interface ServiceTaskJob {
  readonly service_task_id: string;
  /** Absent in jobs of earlier versions. */
  readonly process_instance_id?: string;
  readonly tenant_id: number;
  /** How often a person has rerun the task. A job of an earlier run finds nothing to do. */
  readonly rerun: number;
}

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
  /** JSON text of an `Answered`. */
  readonly outcome: string | null;
}

export interface ClaimedRow extends TaskRow {
  /** All variables of the instance if they are small, or else null. */
  readonly variables: readonly DeliveryRow[] | null;
}

/** Bytes. If an instance's variables have more together, they do not come with its task. */
const smallVariables = 64 * 1024;

const columns = (sql: Queryable) => sql`
  t.id::text, t.tenant_id::float8 as "tenantId", t.process_instance_id::text as "processInstanceId",
  i.process_key as "processKey", i.definition_id::text as "definitionId", t.activity_id as "activityId",
  t.execution_id as "executionId", t.attempt, t.rerun, t.outcome::text as outcome`;

export interface Claim {
  readonly job: ServiceTaskJob;
  /** How often the job was begun before. */
  readonly retries: number;
}

/**
 * Takes tasks that wait, or that their last process left before anything was sent: one of an instance at most. Does not
 * take one that a later run of the same job has: that happens if a process was paused between getting the job and its
 * task. Answers in the order of the claims.
 *
 * Counts the attempt, on from those of earlier passes through the activity, because the Idempotency-Key contains it.
 * Several tasks of one activity that are claimed at the same time may count the same number. The constraint gives it to
 * one, and the others count again, each alone.
 */
export async function claimTasks(
  sql: Sql,
  claims: readonly Claim[],
): Promise<readonly (ClaimedRow | undefined)[]> {
  for (let left = mostClaims; ; left--) {
    try {
      return await claimOnce(sql, claims);
    } catch (error) {
      if (left === 1 || claims.length > 1 || !isTaken(error)) throw error;
    }
  }
}

/** Each round, at least one of the tasks that are claimed together gets its number. More than run at once. */
const mostClaims = 50;

const isTaken = (error: unknown) =>
  error instanceof postgres.PostgresError && error.constraint_name === "service_tasks_attempt";

async function claimOnce(sql: Sql, claims: readonly Claim[]): Promise<readonly (ClaimedRow | undefined)[]> {
  const wanted = claims.map(({ job: { service_task_id: id, rerun }, retries }) => ({ id, rerun, retries }));
  const ids = wanted.map(({ id }) => id);
  const rows = await sql<ClaimedRow[]>`
    update waybill.service_tasks t
       set state = 'running',
           sent_at = null,
           claimed_by_retry = w.retries,
           attempt = 1 + (
             select max(p.attempt)
             from waybill.service_tasks p
             where p.process_instance_id = t.process_instance_id
               and p.activity_id = t.activity_id
           )
      from json_to_recordset(${JSON.stringify(wanted)}::text::json) as w(id uuid, rerun int, retries int),
           waybill.process_instances i
     where t.id = any(${idList(sql, ids)})
       and t.id = w.id
       and t.rerun = w.rerun
       and i.id = t.process_instance_id
       and i.state = 'active'
       and t.claimed_by_retry <= w.retries
       and (t.state = 'waiting' or (t.state = 'running' and t.sent_at is null))
    returning ${columns(sql)},
      case
        when (
          select coalesce(sum(octet_length(v.value)), 0)
          from waybill.process_variables v
          where v.process_instance_id = i.id
        ) <= ${smallVariables}
        then coalesce(${deliveryRows(sql, "i.id")}, '[]')
      end as variables`;
  return ids.map((id) => rows.find((row) => row.id === id));
}

type Attempt = Pick<TaskRow, "id" | "attempt">;

/** The attempt as any process claimed it. Undefined if another attempt has begun since. */
export async function findAttempt(sql: Sql, { id, attempt }: Attempt): Promise<TaskRow | undefined> {
  const [row] = await sql<TaskRow[]>`
    select ${columns(sql)}
    from waybill.service_tasks t
    join waybill.process_instances i on i.id = t.process_instance_id
    where t.id = ${id}
      and t.attempt = ${attempt}`;
  return row;
}

/** A task whose request was sent by an earlier run of the job, in a process that is gone. */
export async function findInterrupted(
  sql: Sql,
  { service_task_id, rerun }: ServiceTaskJob,
  retries: number,
): Promise<TaskRow | undefined> {
  const [row] = await sql<TaskRow[]>`
    select ${columns(sql)}
    from waybill.service_tasks t
    join waybill.process_instances i on i.id = t.process_instance_id
    where t.id = ${service_task_id}
      and t.rerun = ${rerun}
      and t.state = 'running'
      and t.sent_at is not null
      and t.claimed_by_retry < ${retries}`;
  return row;
}

/** Marks attempts as sent. False for one that is not the running one, or is marked already. */
export async function markTasksSent(sql: Sql, attempts: readonly Attempt[]): Promise<boolean[]> {
  const wanted = attempts.map(({ id, attempt }) => ({ id, attempt }));
  const ids = wanted.map(({ id }) => id);
  const rows = await sql<{ id: string }[]>`
    update waybill.service_tasks t
       set sent_at = now()
      from json_to_recordset(${JSON.stringify(wanted)}::text::json) as w(id uuid, attempt int)
     where t.id = any(${idList(sql, ids)})
       and t.id = w.id
       and t.attempt = w.attempt
       and t.state = 'running'
       and t.sent_at is null
    returning t.id::text`;
  const marked = new Set(rows.map(({ id }) => id));
  return ids.map((id) => marked.has(id));
}

/**
 * Removes the mark of an attempt that sent nothing. If the attempt is an incident by now, because its process was taken
 * for dead, the incident gets the message.
 */
export async function unmarkTask(sql: Sql, { id, attempt }: Attempt, message: string): Promise<void> {
  await sql`
    with unmarked as (
      update waybill.service_tasks
         set sent_at = null
       where id = ${id}
         and attempt = ${attempt}
         and state in ('running', 'incident')
      returning id, state
    )
    update waybill.incidents n
       set request_sent = 'no', message = ${message}
      from unmarked u
     where u.state = 'incident'
       and n.service_task_id = u.id
       and n.attempt = ${attempt}
       and n.type = 'interrupted'
       and n.resolved_at is null`;
}

/**
 * Closes the task, unless the attempt's result no longer counts. A late answer still counts if the attempt became an
 * incident because its process was taken for dead, and if a rerun has not begun yet.
 */
export const closingOf =
  ({ id, attempt }: Attempt): Closing =>
  (sql) =>
    sql`,
    closed as (
      update waybill.service_tasks t
         set state = 'completed', outcome = null
        from locked
       where t.id = ${id}
         and t.attempt = ${attempt}
         and t.state in ('running', 'incident', 'waiting')
      returning t.id
    )`;

/** Sets the task back to waiting and returns the job of its new run. Undefined if the task is not an incident. */
export async function startRerun(tx: Tx, serviceTaskId: string): Promise<ServiceTaskJob | undefined> {
  const [job] = await tx<ServiceTaskJob[]>`
    update waybill.service_tasks
       set state = 'waiting', rerun = rerun + 1, sent_at = null, claimed_by_retry = 0
     where id = ${serviceTaskId}
       and state = 'incident'
    returning id::text as service_task_id, process_instance_id::text, tenant_id::float8 as tenant_id, rerun`;
  return job;
}
