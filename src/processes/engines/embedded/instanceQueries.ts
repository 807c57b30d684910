/** Statements on `waybill.process_instances`. */
import type { Queryable, Tx } from "../../../infrastructure/database/connect.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import type { InstanceDetail } from "../../engine.ts";
import type { Waiting } from "./stepWatch.ts";
import type { Owners } from "./taskOwners.ts";

/** Columns of an `InstanceDetail`. */
const shownColumns = (sql: Queryable) => sql`
  i.id::text as "processInstanceId", i.process_key as "processKey", i.started_by as "startedBy",
  i.business_key as "businessKey", ${shownState(sql)} as state`;

/** An active instance with an open incident is shown as an incident. */
export const shownState = (sql: Queryable) => sql`
  case
    when i.state = 'active' and exists (
      select
      from waybill.incidents o
      where o.process_instance_id = i.id
        and o.resolved_at is null
    )
    then 'incident'
    else i.state
  end`;

export async function findInstance(
  sql: Queryable,
  tenantId: number,
  id: string,
): Promise<InstanceDetail | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql<InstanceDetail[]>`
    select ${shownColumns(sql)}
    from waybill.process_instances i
    where i.id = ${id}
      and i.tenant_id = ${tenantId}`;
  return row;
}

/** Who started each of these instances, by the given id. */
export async function findStarters(
  sql: Queryable,
  tenantId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await sql<{ id: string; startedBy: string | null }[]>`
    select id::text, started_by as "startedBy"
    from waybill.process_instances
    where id = any(${ids.filter(isUuid)}::uuid[])
      and tenant_id = ${tenantId}`;
  const starters = new Map(rows.map(({ id, startedBy }) => [id, startedBy]));
  return new Map(
    ids.flatMap((id) => {
      const startedBy = starters.get(id.toLowerCase());
      return startedBy === undefined ? [] : [[id, startedBy]];
    }),
  );
}

/** The instance that a form session has started. */
export async function findStarted(
  sql: Queryable,
  tenantId: number,
  formSessionId: string,
): Promise<InstanceDetail | undefined> {
  const [row] = await sql<InstanceDetail[]>`
    select ${shownColumns(sql)}
    from waybill.process_instances i
    where i.tenant_id = ${tenantId}
      and i.form_session_id = ${formSessionId}`;
  return row;
}

export interface InstanceRow {
  readonly id: string;
  readonly tenantId: number;
  readonly processKey: string;
  readonly definitionId: string;
  readonly version: number;
  readonly startedBy: string | null;
}

export interface NewInstanceRow extends InstanceRow {
  readonly formSessionId: string | null;
  readonly businessKey: string | null;
}

/**
 * Adds an instance, and its starter to its discussion. Fails with unique_violation `process_instances_session` if the
 * form session has started a process.
 */
export async function insertInstance(tx: Tx, instance: NewInstanceRow): Promise<void> {
  const { id, tenantId, processKey, definitionId, startedBy, formSessionId, businessKey } = instance;
  await tx`
    with joined as (
      insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
      select ${tenantId}, ${id}, ${startedBy}, ${startedBy}
      where ${startedBy}::text is not null
    )
    insert into waybill.process_instances
      (id, tenant_id, process_key, definition_id, state, started_by, form_session_id, business_key)
    values
      (${id}::text::uuid, ${tenantId}, ${processKey}, ${definitionId}, 'active', ${startedBy}, ${formSessionId},
       ${businessKey})`;
}

export interface LockedInstance extends InstanceRow {
  readonly state: "active" | "completed" | "terminated";
  /** Compressed; null once the instance has ended. */
  readonly engineState: Uint8Array | null;
  /** The executions that have service tasks. */
  readonly serviceTasks: readonly string[];
  /** The executions that have open user tasks. */
  readonly userTasks: readonly string[];
  /** The database's time, in milliseconds since 1970. */
  readonly now: number;
  readonly timer: TimerJobRow | null;
}

/** The job that waits for the instance's next timer. */
export interface TimerJobRow {
  readonly job: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/**
 * Locks the instance until the transaction ends, so that steps run one at a time. `now` is read from the clock and not
 * from the transaction, which may have waited for the lock.
 */
export async function lockInstance(
  tx: Tx,
  id: string,
  tenantId: number,
): Promise<LockedInstance | undefined> {
  const [row] = await tx<LockedInstance[]>`
    select i.id::text, i.tenant_id::float8 as "tenantId", i.process_key as "processKey",
           i.definition_id::text as "definitionId", d.version, i.started_by as "startedBy", i.state,
           i.engine_state as "engineState",
           array(
             select t.execution_id
             from waybill.service_tasks t
             where t.process_instance_id = i.id
           ) as "serviceTasks",
           array(
             select t.execution_id
             from waybill.user_tasks t
             where t.process_instance_id = i.id
               and t.ended_at is null
           ) as "userTasks",
           floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
           case when i.timer_job is not null then json_build_object(
             'job', i.timer_job,
             'at', floor(extract(epoch from i.timer_at) * 1000)
           ) end as timer
    from waybill.process_instances i
    join waybill.process_definitions d on d.id = i.definition_id
    where i.id = ${id}
      and i.tenant_id = ${tenantId}
    for update of i`;
  return row;
}

/** The owners are absent if the task is open already. */
export interface NewUserTask extends Waiting, Partial<Owners> {
  readonly id: string;
  readonly name: string;
  readonly formKey: string | null;
}

export interface NewServiceTask extends Waiting {
  readonly id: string;
}

export interface SnapshotRows {
  readonly instance: InstanceRow;
  /** Compressed; null once the instance has ended. */
  readonly engineState: Uint8Array | null;
  readonly endState: "completed" | "terminated" | null;
  readonly userTasks: readonly NewUserTask[];
  readonly serviceTasks: readonly NewServiceTask[];
  readonly timer: TimerJobRow | null;
}

/**
 * Stores an instance's state after a step, in one statement: adds the tasks that wait now, and closes those that no
 * longer wait together with their incidents.
 */
export async function storeSnapshot(tx: Tx, snapshot: SnapshotRows): Promise<void> {
  const { instance, engineState, endState, userTasks, serviceTasks, timer } = snapshot;
  const { id, tenantId, processKey } = instance;
  await tx`
    with users as (
      select *
      from json_to_recordset(${JSON.stringify(userTasks)}::text::json)
        as t(
          id uuid, "activityId" text, "executionId" text, name text, "formKey" text,
          assignee text, "candidateUsers" text[], "candidateGroups" text[], owned boolean
        )
    ),
    services as (
      select *
      from json_to_recordset(${JSON.stringify(serviceTasks)}::text::json)
        as t(id uuid, "activityId" text, "executionId" text)
    ),
    instance as (
      update waybill.process_instances
         set engine_state = ${engineState},
             state = coalesce(${endState}, 'active'),
             timer_job = ${timer?.job ?? null}::uuid,
             timer_at = ${timer && new Date(timer.at)}::timestamptz,
             ended_at = case when ${endState}::text is null then null else now() end
       where id = ${id}
    ),
    added_users as (
      insert into waybill.user_tasks
        (id, tenant_id, process_instance_id, process_key, activity_id, execution_id, name, form_key,
         assignee, candidate_users, candidate_groups, owned)
      select id, ${tenantId}, ${id}, ${processKey}, "activityId", "executionId", name, "formKey",
             assignee, "candidateUsers", "candidateGroups", owned
      from users
      on conflict on constraint user_tasks_execution do nothing
    ),
    closed_users as (
      update waybill.user_tasks
         set ended_at = now()
       where process_instance_id = ${id}
         and ended_at is null
         and execution_id not in (select "executionId" from users)
    ),
    added_services as (
      insert into waybill.service_tasks (id, tenant_id, process_instance_id, activity_id, execution_id, state)
      select id, ${tenantId}, ${id}, "activityId", "executionId", 'waiting'
      from services
      on conflict on constraint service_tasks_execution do nothing
    ),
    cancelled as (
      update waybill.service_tasks
         set state = 'cancelled'
       where process_instance_id = ${id}
         and state in ('waiting', 'running', 'incident')
         and execution_id not in (select "executionId" from services)
      returning id
    ),
    resolved as (
      update waybill.incidents
         set resolved_at = now()
       where process_instance_id = ${id}
         and resolved_at is null
         and (service_task_id in (select id from cancelled) or ${endState}::text is not null)
    )
    select`;
}
