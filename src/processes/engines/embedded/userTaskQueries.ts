/** Statements on `waybill.user_tasks`. */
import type { Task } from "../../../generated/schemas.ts";
import { type JsonList, listAsJson } from "../../../infrastructure/database/boundedList.ts";
import type { Queryable, Sql, Tx } from "../../../infrastructure/database/connect.ts";
import { utc } from "../../../infrastructure/database/timestamps.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import type { FormSchema, TaskQuery } from "../../engine.ts";
import type { TaskOwners } from "../../userTasks.ts";
import type { Closing } from "./instanceQueries.ts";

/** Nobody is named in tasks from before there were owners. */
const ownerColumns = (sql: Queryable) => sql`
  t.assignee, coalesce(t.candidate_users, '{}') as candidate_users,
  coalesce(t.candidate_groups, '{}') as candidate_groups`;

const shownColumns = (sql: Queryable) => sql`
  t.id::text as task_id, t.process_instance_id::text, t.process_key, t.activity_id, t.name, t.form_key,
  ${utc(sql, "t.created_at")} as created_at, ${ownerColumns(sql)}`;

/** Open tasks, oldest first. */
export async function listTasks(sql: Sql, tenantId: number, query: TaskQuery): Promise<JsonList<Task>> {
  const { processInstanceId, offset, limit } = query;
  if (processInstanceId !== undefined && !isUuid(processInstanceId)) return { jsonText: "[]" };
  return listAsJson<Task>(
    sql,
    sql`
      select ${shownColumns(sql)}
      from waybill.user_tasks t
      where t.tenant_id = ${tenantId}
        and t.ended_at is null
        ${conditionsOf(sql, query)}
      order by t.created_at, t.id
      limit ${limit}
      offset ${offset}`,
  );
}

/** Each combination is a statement of its own, so that it can use the index of its column. */
function conditionsOf(sql: Sql, query: TaskQuery) {
  const { processInstanceId, processKey, assignee, candidateGroup, unassigned } = query;
  return [
    processInstanceId === undefined ? sql`` : sql`and t.process_instance_id = ${processInstanceId}::uuid`,
    processKey === undefined ? sql`` : sql`and t.process_key = ${processKey}`,
    assignee === undefined ? sql`` : sql`and t.assignee = ${assignee}`,
    candidateGroup === undefined ? sql`` : sql`and t.candidate_groups @> ${[candidateGroup]}::text[]`,
    unassigned ? sql`and t.assignee is null` : sql``,
  ];
}

/** An open task. */
export async function findTask(sql: Sql, tenantId: number, id: string): Promise<Task | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql<Task[]>`
    select ${shownColumns(sql)}
    from waybill.user_tasks t
    where t.id = ${id}
      and t.tenant_id = ${tenantId}
      and t.ended_at is null`;
  return row;
}

/** The task's form in the version of the model that its instance runs. */
export async function findTaskForm(sql: Sql, tenantId: number, task: Task): Promise<FormSchema | null> {
  const [row] = await sql<{ form: FormSchema | null }[]>`
    select d.forms -> ${task.form_key} as form
    from waybill.process_instances i
    join waybill.process_definitions d on d.id = i.definition_id
    where i.id = ${task.process_instance_id}
      and i.tenant_id = ${tenantId}`;
  return row?.form ?? null;
}

/** What a change of a task needs of it. */
export interface TaskState extends TaskOwners {
  readonly processInstanceId: string;
  readonly executionId: string;
  readonly ended: boolean;
}

export async function findTaskState(
  sql: Queryable,
  tenantId: number,
  id: string,
): Promise<TaskState | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql<TaskState[]>`
    select t.process_instance_id::text as "processInstanceId", t.execution_id as "executionId",
           t.ended_at is not null as ended, coalesce(t.owned, false) as owned, ${ownerColumns(sql)}
    from waybill.user_tasks t
    where t.id = ${id}
      and t.tenant_id = ${tenantId}`;
  return row;
}

export interface ClosedTask {
  readonly id: string;
  readonly user: string;
  readonly tenantId: number;
  readonly processInstanceId: string;
  /** Who has the task, if that is what the user's right to close it depends on. */
  readonly assignee: string | null;
}

/**
 * Closes an open task and adds its user to the discussion, unless its assignee has changed. Its candidates never
 * change.
 */
export const closingOf =
  ({ id, user, tenantId, processInstanceId, assignee }: ClosedTask): Closing =>
  (sql) =>
    sql`,
    closed as (
      update waybill.user_tasks t
         set ended_at = now(), completed_by = ${user}
        from locked
       where t.id = ${id}
         and t.ended_at is null
         and t.assignee is not distinct from ${assignee}
      returning t.id
    ),
    joined as (
      insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
      select ${tenantId}, ${processInstanceId}, ${user}, ${user}
      from closed
      on conflict do nothing
    )`;

/** Assigns an open task to another user if nobody else has done so. Returns false if it is closed or has changed. */
export async function changeAssignee(
  sql: Sql,
  { id, tenantId }: { readonly id: string; readonly tenantId: number },
  { from, to }: { readonly from: string | null; readonly to: string | null },
): Promise<boolean> {
  const { count } = await sql`
    update waybill.user_tasks
       set assignee = ${to}
     where id = ${id}
       and tenant_id = ${tenantId}
       and ended_at is null
       and assignee is not distinct from ${from}`;
  return count === 1;
}

/** Assigns an open task, whoever has it. Returns false if it is closed. */
export async function setAssignee(
  tx: Tx,
  { id, tenantId, to }: { readonly id: string; readonly tenantId: number; readonly to: string | null },
): Promise<boolean> {
  const { count } = await tx`
    update waybill.user_tasks
       set assignee = ${to}
     where id = ${id}
       and tenant_id = ${tenantId}
       and ended_at is null`;
  return count === 1;
}
