/**
 * The statements that store a step. Each of them stores all of it: the instance with its state, the variables that the
 * step has written, the tasks that wait now, the row for reports, and the jobs.
 */
import { type Binding, commitment } from "../../../files/attachments/bindingQueries.ts";
import type { Fragment, Queryable, Tx } from "../../../infrastructure/database/connect.ts";
import type { Addition } from "../../../infrastructure/jobs/queue.ts";
import type { StoredVariable } from "../../variables/variable.ts";
import type { InstanceRow, TimerJobRow } from "./instanceQueries.ts";
import type { Waiting } from "./stepWatch.ts";
import type { Owners } from "./taskOwners.ts";
import { type ReportRow, recordReport } from "./transactions.ts";
import { variableInsertion } from "./variableQueries.ts";

/** The owners are absent if the task is open already. */
export interface NewUserTask extends Waiting, Partial<Owners> {
  readonly id: string;
  readonly name: string;
  readonly formKey: string | null;
}

export interface NewServiceTask extends Waiting {
  readonly id: string;
}

export interface StepRows {
  /** Compressed; null once the instance has ended. */
  readonly engineState: Uint8Array | null;
  readonly endState: "completed" | "terminated" | null;
  readonly written: ReadonlyMap<string, StoredVariable>;
  readonly userTasks: readonly NewUserTask[];
  readonly serviceTasks: readonly NewServiceTask[];
  readonly timer: TimerJobRow | null;
  /** Undefined if it stays as it is. */
  readonly report?: ReportRow;
  readonly jobs?: readonly Addition[];
}

export interface NewInstanceRow extends InstanceRow {
  readonly formSessionId: string | null;
  readonly businessKey: string | null;
}

export interface NewInstanceRows {
  readonly instance: NewInstanceRow;
  /** The attachments that the instance takes. */
  readonly attachmentIds: readonly string[];
  readonly binding: Binding;
}

/**
 * Adds an instance after its first step, with its starter as a participant of its discussion. Returns the attachments
 * that cannot be bound: then nothing is stored. Fails with unique_violation `process_instances_session` if the form
 * session has started a process.
 */
export async function insertInstance(
  sql: Queryable,
  { instance, attachmentIds, binding }: NewInstanceRows,
  step: StepRows,
): Promise<readonly string[]> {
  const { id, tenantId, startedBy } = instance;
  const bound =
    attachmentIds.length === 0
      ? sql`unfit as (select null::uuid as id limit 0)`
      : commitment(sql, attachmentIds, binding);
  const [row] = await sql<{ unfit: string[] }[]>`
    with ${bound},
    instance as (
      insert into waybill.process_instances
        (id, tenant_id, process_key, definition_id, started_by, form_session_id, business_key,
         engine_state, state, timer_job, timer_at, ended_at)
      select ${id}::text::uuid, ${tenantId}, ${instance.processKey}, ${instance.definitionId}::bigint, ${startedBy},
             ${instance.formSessionId}, ${instance.businessKey}, ${stateColumns(sql, step)}
      where not exists (select from unfit)
      returning id
    ),
    joined as (
      insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
      select ${tenantId}, ${id}, ${startedBy}::text, ${startedBy}::text
      from instance
      where ${startedBy}::text is not null
    )
    ${additions(sql, instance, step)}
    select array(select id::text from unfit) as unfit, ${recorded(sql, step)}`;
  return row?.unfit ?? [];
}

/** Stores a step of an instance that is locked, and closes the tasks that no longer wait, with their incidents. */
export async function storeStep(tx: Tx, instance: InstanceRow, step: StepRows): Promise<void> {
  const { id } = instance;
  const { endState, userTasks, serviceTasks } = step;
  await tx`
    with instance as (
      update waybill.process_instances
         set (engine_state, state, timer_job, timer_at, ended_at) = (select ${stateColumns(tx, step)})
       where id = ${id}
      returning id
    ),
    closed_users as (
      update waybill.user_tasks
         set ended_at = now()
       where process_instance_id = ${id}
         and ended_at is null
         and execution_id <> all (${executionsOf(userTasks)}::text[])
    ),
    cancelled as (
      update waybill.service_tasks
         set state = 'cancelled'
       where process_instance_id = ${id}
         and state in ('waiting', 'running', 'incident')
         and execution_id <> all (${executionsOf(serviceTasks)}::text[])
      returning id
    ),
    resolved as (
      update waybill.incidents
         set resolved_at = now()
       where process_instance_id = ${id}
         and resolved_at is null
         and (${endState}::text is not null
           or service_task_id in (select id from cancelled)
           or service_task_id in (
             select t.id
             from waybill.service_tasks t
             where t.process_instance_id = ${id}
               and t.state = 'completed'
           ))
    )
    ${additions(tx, instance, step)}
    select ${recorded(tx, step)}`;
}

const executionsOf = (tasks: readonly Waiting[]) => tasks.map(({ executionId }) => executionId);

/** `engine_state`, `state`, `timer_job`, `timer_at` and `ended_at`. */
const stateColumns = (sql: Queryable, { engineState, endState, timer }: StepRows) => sql`
  ${engineState}::bytea, coalesce(${endState}::text, 'active'), ${timer?.job ?? null}::uuid,
  ${timer && new Date(timer.at)}::timestamptz, case when ${endState}::text is not null then now() end`;

/** What a step adds to the row of `instance`. */
function additions(sql: Queryable, instance: InstanceRow, step: StepRows): Fragment[] {
  const { written, userTasks, serviceTasks, report, jobs = [] } = step;
  const condition = sql`exists (select from instance)`;
  return [
    sql`, report as (select ${report ? recordReport(sql, instance, report) : sql`1`} from instance)`,
    ...(written.size > 0 ? [sql`, written as (${variableInsertion(sql, written, sql`instance`)})`] : []),
    ...(userTasks.length > 0 ? [sql`, added_users as (${userTaskInsertion(sql, instance, userTasks)})`] : []),
    ...(serviceTasks.length > 0
      ? [sql`, added_services as (${serviceTaskInsertion(sql, instance, serviceTasks)})`]
      : []),
    ...jobs.map((addition, index) => sql`, ${sql(`jobs_${index}`)} as (${addition(sql, condition)})`),
  ];
}

/** Nothing calls a function in a part of a statement unless the statement reads it. */
const recorded = (sql: Queryable, { report }: StepRows) =>
  report ? sql`(select count(*) from report)` : sql`1`;

const userTaskInsertion = (
  sql: Queryable,
  { tenantId, processKey }: InstanceRow,
  tasks: readonly NewUserTask[],
) => sql`
  insert into waybill.user_tasks
    (id, tenant_id, process_instance_id, process_key, activity_id, execution_id, name, form_key,
     assignee, candidate_users, candidate_groups, owned)
  select t.id, ${tenantId}, instance.id, ${processKey}, "activityId", "executionId", name, "formKey",
         assignee, "candidateUsers", "candidateGroups", owned
  from instance,
       json_to_recordset(${JSON.stringify(tasks)}::text::json)
         as t(
           id uuid, "activityId" text, "executionId" text, name text, "formKey" text,
           assignee text, "candidateUsers" text[], "candidateGroups" text[], owned boolean
         )
  on conflict on constraint user_tasks_execution do nothing`;

const serviceTaskInsertion = (
  sql: Queryable,
  { tenantId }: InstanceRow,
  tasks: readonly NewServiceTask[],
) => sql`
  insert into waybill.service_tasks (id, tenant_id, process_instance_id, activity_id, execution_id, state)
  select t.id, ${tenantId}, instance.id, "activityId", "executionId", 'waiting'
  from instance,
       json_to_recordset(${JSON.stringify(tasks)}::text::json)
         as t(id uuid, "activityId" text, "executionId" text)
  on conflict on constraint service_tasks_execution do nothing`;
