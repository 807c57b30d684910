/** Statements on `waybill.user_tasks`. */
import type { Task } from "../../../generated/schemas.ts";
import { type JsonList, listAsJson } from "../../../infrastructure/database/boundedList.ts";
import type { Queryable, Sql, Tx } from "../../../infrastructure/database/connect.ts";
import { utc } from "../../../infrastructure/database/timestamps.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import type { FormSchema, TaskQuery } from "../../engine.ts";

const shownColumns = (sql: Queryable) => sql`
  t.id::text as task_id, t.process_instance_id::text, t.process_key, t.activity_id, t.name, t.form_key,
  ${utc(sql, "t.created_at")} as created_at`;

/** Open tasks, oldest first. */
export async function listTasks(
  sql: Sql,
  tenantId: number,
  { processInstanceId, offset, limit }: TaskQuery,
): Promise<JsonList<Task>> {
  if (processInstanceId !== undefined && !isUuid(processInstanceId)) return { jsonText: "[]" };
  const instance = processInstanceId ?? null;
  return listAsJson<Task>(
    sql,
    sql`
      select ${shownColumns(sql)}
      from waybill.user_tasks t
      where t.tenant_id = ${tenantId}
        and t.ended_at is null
        and (${instance}::uuid is null or t.process_instance_id = ${instance}::uuid)
      order by t.created_at, t.id
      limit ${limit}
      offset ${offset}`,
  );
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

/** What completing a task needs of it. */
export interface TaskState {
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
    select process_instance_id::text as "processInstanceId", execution_id as "executionId",
           ended_at is not null as ended
    from waybill.user_tasks
    where id = ${id}
      and tenant_id = ${tenantId}`;
  return row;
}

export interface ClosedTask {
  readonly id: string;
  readonly user: string;
  readonly tenantId: number;
  readonly processInstanceId: string;
}

/** Closes an open task and adds its user to the discussion. Returns false if it was closed before. */
export async function closeUserTask(
  tx: Tx,
  { id, user, tenantId, processInstanceId }: ClosedTask,
): Promise<boolean> {
  const { count } = await tx`
    with closed as (
      update waybill.user_tasks
         set ended_at = now(), completed_by = ${user}
       where id = ${id}
         and ended_at is null
      returning id
    ),
    joined as (
      insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
      select ${tenantId}, ${processInstanceId}, ${user}, ${user}
      from closed
      on conflict do nothing
    )
    select
    from closed`;
  return count === 1;
}
