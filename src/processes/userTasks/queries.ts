/** Reads of `waybill.user_tasks`: the open ones. */

import type { Task } from "../../generated/schemas.ts";
import { type JsonList, listAsJson } from "../../infrastructure/database/boundedList.ts";
import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";

const columns = (sql: Queryable) => sql`
  t.id::text as task_id, t.process_instance_id::text, t.process_key, t.activity_id, t.name, t.form_key,
  ${utc(sql, "t.created_at")} as created_at`;

/** Oldest first. */
export async function findTasks(
  sql: Sql,
  { tenantId, processInstanceId }: { readonly tenantId: number; readonly processInstanceId: string | null },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<JsonList<Task>> {
  return listAsJson<Task>(
    sql,
    sql`
    select ${columns(sql)} from waybill.user_tasks t
    where t.tenant_id = ${tenantId} and t.ended_at is null
      and (${processInstanceId}::uuid is null or t.process_instance_id = ${processInstanceId}::uuid)
    order by t.created_at, t.id limit ${limit} offset ${offset}`,
  );
}

export async function findTask(sql: Sql, tenantId: number, id: string): Promise<Task | undefined> {
  const [row] = await sql<Task[]>`
    select ${columns(sql)} from waybill.user_tasks t
    where t.id = ${id} and t.tenant_id = ${tenantId} and t.ended_at is null`;
  return row;
}

/** The task's form in the version of the model that its instance runs. */
export async function findForm(sql: Sql, task: Task): Promise<Record<string, unknown> | null> {
  const [row] = await sql<{ form: Record<string, unknown> | null }[]>`
    select d.forms -> ${task.form_key} as form
    from waybill.process_instances i join waybill.process_definitions d on d.id = i.definition_id
    where i.id = ${task.process_instance_id}`;
  return row?.form ?? null;
}
