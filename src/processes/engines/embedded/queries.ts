/** The embedded engine's statements on models, instances and user tasks. */

import { uuids } from "../../../infrastructure/database/arrays.ts";
import type { Queryable, Tx } from "../../../infrastructure/database/connect.ts";
import { shownState } from "../../instances.ts";
import type { Waiting } from "./run.ts";

/** Not the transaction's: a step may have waited for the one before it. */
const clock = (sql: Queryable) => sql`floor(extract(epoch from clock_timestamp()) * 1000)::float8`;

export interface DefinitionRef {
  readonly id: string;
  readonly version: number;
  /** The database's time, in milliseconds since 1970. */
  readonly now: number;
}

export async function findLatest(
  sql: Queryable,
  tenantId: number,
  processKey: string,
): Promise<DefinitionRef | undefined> {
  const [row] = await sql<DefinitionRef[]>`
    select id::text, version, ${clock(sql)} as now from waybill.process_definitions
    where tenant_id = ${tenantId} and process_key = ${processKey} order by version desc limit 1`;
  return row;
}

export interface ModelRow {
  readonly bpmn: string;
  readonly tenantId: number;
}

export async function findBpmn(sql: Queryable, definitionId: string): Promise<ModelRow> {
  const [row] = await sql<ModelRow[]>`
    select bpmn, tenant_id::float8 as "tenantId" from waybill.process_definitions where id = ${definitionId}`;
  if (!row) throw new Error(`there is no definition ${definitionId}`);
  return row;
}

export interface NewDefinition {
  readonly tenantId: number;
  readonly processKey: string;
  readonly name: string;
  readonly bpmn: string;
  /** JSON text. */
  readonly forms: string;
  readonly deployedBy: string;
}

/** The next version. To be called under the tenant's lock. */
export async function insertDefinition(tx: Tx, definition: NewDefinition): Promise<number> {
  const { tenantId, processKey, name, bpmn, forms, deployedBy } = definition;
  const [row] = await tx<{ version: number }[]>`
    insert into waybill.process_definitions (tenant_id, process_key, version, name, bpmn, forms, deployed_by)
    select ${tenantId}, ${processKey}, coalesce(max(version), 0) + 1, ${name}, ${bpmn},
           ${forms}::text::json, ${deployedBy}
    from waybill.process_definitions where tenant_id = ${tenantId} and process_key = ${processKey}
    returning version`;
  return row?.version ?? 1;
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
}

/**
 * Whoever starts an instance takes part in its discussion. Fails with unique_violation `process_instances_session` where
 * the form session has started a process.
 */
export async function insertInstance(tx: Tx, instance: NewInstanceRow): Promise<void> {
  const { id, tenantId, processKey, definitionId, startedBy, formSessionId } = instance;
  await tx`
    with joined as (
      insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
      select ${tenantId}, ${id}, ${startedBy}, ${startedBy} where ${startedBy}::text is not null)
    insert into waybill.process_instances (id, tenant_id, process_key, definition_id, state, started_by, form_session_id)
    values (${id}::text::uuid, ${tenantId}, ${processKey}, ${definitionId}, 'active', ${startedBy}, ${formSessionId})`;
}

export interface SessionInstance {
  readonly id: string;
  readonly processKey: string;
  readonly state: "active" | "incident" | "completed" | "terminated";
}

export async function findSessionInstance(
  sql: Queryable,
  tenantId: number,
  formSessionId: string,
): Promise<SessionInstance | undefined> {
  const [row] = await sql<SessionInstance[]>`
    select id::text, process_key as "processKey", ${shownState(sql)} as state
    from waybill.process_instances i where tenant_id = ${tenantId} and form_session_id = ${formSessionId}`;
  return row;
}

export interface LockedInstance extends InstanceRow {
  readonly state: "active" | "completed" | "terminated";
  readonly engineState: Uint8Array | null;
  /** The executions that service tasks were made for. */
  readonly serviceTasks: readonly string[];
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

/** One step at a time: the row is held until the transaction ends. */
export async function lockInstance(
  tx: Tx,
  id: string,
  tenantId: number,
): Promise<LockedInstance | undefined> {
  const [row] = await tx<LockedInstance[]>`
    select i.id::text, i.tenant_id::float8 as "tenantId", i.process_key as "processKey",
           i.definition_id::text as "definitionId", d.version, i.started_by as "startedBy", i.state,
           i.engine_state as "engineState", array(
             select t.execution_id from waybill.service_tasks t where t.process_instance_id = i.id) as "serviceTasks",
           ${clock(tx)} as now,
           case when i.timer_job is not null then json_build_object(
             'job', i.timer_job, 'at', floor(extract(epoch from i.timer_at) * 1000)) end as timer
    from waybill.process_instances i join waybill.process_definitions d on d.id = i.definition_id
    where i.id = ${id} and i.tenant_id = ${tenantId} for update of i`;
  return row;
}

export interface NewUserTask extends Waiting {
  readonly id: string;
  readonly name: string;
  readonly formKey: string | null;
}

export interface NewServiceTask extends Waiting {
  readonly id: string;
}

export interface SnapshotRows {
  readonly instance: InstanceRow;
  /** Compressed; null where the instance has ended. */
  readonly engineState: Uint8Array | null;
  readonly endState: "completed" | "terminated" | null;
  readonly userTasks: readonly NewUserTask[];
  readonly serviceTasks: readonly NewServiceTask[];
  readonly timer: TimerJobRow | null;
}

/**
 * Stores where an instance stands, in one statement: what waits now and did not is added, what no longer waits is
 * closed, with its incidents.
 */
export async function storeSnapshot(tx: Tx, snapshot: SnapshotRows): Promise<void> {
  const { instance, engineState, endState, userTasks, serviceTasks, timer } = snapshot;
  await tx`
    with users as (
      select * from json_to_recordset(${JSON.stringify(userTasks)}::text::json)
        as t(id uuid, "activityId" text, "executionId" text, name text, "formKey" text)),
    services as (
      select * from json_to_recordset(${JSON.stringify(serviceTasks)}::text::json)
        as t(id uuid, "activityId" text, "executionId" text)),
    instance as (
      update waybill.process_instances
      set engine_state = ${engineState}, state = coalesce(${endState}, 'active'),
          timer_job = ${timer?.job ?? null}::uuid, timer_at = ${timer && new Date(timer.at)}::timestamptz,
          ended_at = case when ${endState}::text is null then null else now() end
      where id = ${instance.id}),
    added_users as (
      insert into waybill.user_tasks (id, tenant_id, process_instance_id, process_key, activity_id, execution_id, name, form_key)
      select id, ${instance.tenantId}, ${instance.id}, ${instance.processKey}, "activityId", "executionId", name, "formKey"
      from users on conflict on constraint user_tasks_execution do nothing),
    closed_users as (
      update waybill.user_tasks set ended_at = now()
      where process_instance_id = ${instance.id} and ended_at is null
        and execution_id not in (select "executionId" from users)),
    added_services as (
      insert into waybill.service_tasks (id, tenant_id, process_instance_id, activity_id, execution_id, state)
      select id, ${instance.tenantId}, ${instance.id}, "activityId", "executionId", 'waiting'
      from services on conflict on constraint service_tasks_execution do nothing),
    cancelled as (
      update waybill.service_tasks set state = 'cancelled'
      where process_instance_id = ${instance.id} and state in ('waiting', 'running', 'incident')
        and execution_id not in (select "executionId" from services) returning id),
    resolved as (
      update waybill.incidents set resolved_at = now()
      where process_instance_id = ${instance.id} and resolved_at is null
        and (service_task_id in (select id from cancelled) or ${endState}::text is not null))
    select`;
}

export interface OpenTask {
  readonly processInstanceId: string;
  readonly activityId: string;
  readonly executionId: string;
  readonly ended: boolean;
}

export async function findUserTask(
  sql: Queryable,
  tenantId: number,
  id: string,
): Promise<OpenTask | undefined> {
  const [row] = await sql<OpenTask[]>`
    select process_instance_id::text as "processInstanceId", activity_id as "activityId",
           execution_id as "executionId", ended_at is not null as ended
    from waybill.user_tasks where id = ${id} and tenant_id = ${tenantId}`;
  return row;
}

/** Whether it was open until now; then whoever completes it takes part in the process's discussion. */
export async function closeUserTask(
  tx: Tx,
  task: {
    readonly id: string;
    readonly user: string;
    readonly tenantId: number;
    readonly processInstanceId: string;
  },
): Promise<boolean> {
  const { id, user, tenantId, processInstanceId } = task;
  const { count } = await tx`
    with closed as (
      update waybill.user_tasks set ended_at = now(), completed_by = ${user}
      where id = ${id} and ended_at is null returning id),
    joined as (
      insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
      select ${tenantId}, ${processInstanceId}, ${user}, ${user} from closed on conflict do nothing)
    select from closed`;
  return count === 1;
}

/** Those of the attachments that the session did not upload: a visitor binds the visitor's own, and nothing else. */
export async function draftsOfOthers(
  sql: Queryable,
  ids: readonly string[],
  session: { readonly id: string; readonly tenantId: number },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct id::text from unnest(${uuids(sql, ids)}) id
    where id not in (select a.id from waybill.attachments a 
                     where a.form_session_id = ${session.id} and a.tenant_id = ${session.tenantId})`;
  return rows.map(({ id }) => id);
}
