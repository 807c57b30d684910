/** `waybill.table_tasks`: what the background still has to do for a table. */
import type { Queryable, Tx } from "../../infrastructure/database/connect.ts";

export interface NewTask {
  readonly tenantId: number;
  /** `finish`: build indexes and check references. `purge`: remove what can no longer be restored. */
  readonly kind: "finish" | "purge";
  readonly tableId: number;
  /** Who asked for it. */
  readonly actor: string;
  /** Days until it is due. */
  readonly undoDays?: number;
  /** The id in the list of dropped things. Undefined for `finish`. */
  readonly droppedId?: string;
}

export async function addTask(tx: Tx, task: NewTask): Promise<void> {
  const { tenantId, kind, tableId, actor, undoDays = 0, droppedId = null } = task;
  await tx`
    insert into waybill.table_tasks (tenant_id, kind, table_id, actor, dropped_id, due_at)
    values (
      ${tenantId}, ${kind}, ${tableId}, ${actor}, ${droppedId},
      now() + ${String(undoDays)}::text::float8 * interval '1 day'
    )`;
}

/** Makes the purge of dropped things due. */
export async function purgeSoon(tx: Tx, tenantId: number, droppedIds: readonly string[]): Promise<void> {
  if (droppedIds.length === 0) return;
  await tx`
    update waybill.table_tasks
    set due_at = now()
    where tenant_id = ${tenantId}
      and dropped_id::text in (select jsonb_array_elements_text(${JSON.stringify(droppedIds)}::text::jsonb))`;
}

export interface Task {
  readonly id: string;
  readonly tenantId: number;
  readonly kind: "finish" | "purge";
  readonly tableId: number;
  readonly actor: string;
  readonly droppedId: string | null;
}

/** The tasks that are due, oldest first, at most `count`. */
export const dueTasks = (sql: Queryable, count: number) => sql<Task[]>`
  select id::text as id,
         tenant_id::float8 as "tenantId",
         kind,
         table_id::float8 as "tableId",
         actor,
         dropped_id::text as "droppedId"
  from waybill.table_tasks
  where due_at <= now()
  order by due_at, id
  limit ${count}`;

export const deleteTask = (sql: Queryable, id: string) => sql`
  delete from waybill.table_tasks
  where id = ${id}`;

/** Removes the tasks of a table that is gone, or the one of a dropped thing that was restored. */
export async function deleteTasks(
  tx: Tx,
  {
    tenantId,
    ...which
  }: { readonly tenantId: number; readonly tableId?: number; readonly droppedId?: string },
): Promise<void> {
  await tx`
    delete from waybill.table_tasks
    where tenant_id = ${tenantId}
      and (table_id = ${which.tableId ?? null} or dropped_id = ${which.droppedId ?? null})`;
}

/** A failed task is tried again after a pause that grows to an hour. */
export const postponeTask = (sql: Queryable, id: string) => sql`
  update waybill.table_tasks
  set attempts = attempts + 1,
      due_at = now() + least(3600, 5 * power(2, least(attempts, 10))) * interval '1 second'
  where id = ${id}`;
