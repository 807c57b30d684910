/** Statements on `waybill.incidents`. */
import type { Incident } from "../../../generated/schemas.ts";
import { type JsonList, listAsJson } from "../../../infrastructure/database/boundedList.ts";
import type { Queryable, Sql, Tx } from "../../../infrastructure/database/connect.ts";
import { utc } from "../../../infrastructure/database/timestamps.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import type { IncidentQuery } from "../../engine.ts";
import type { NewIncident } from "../../serviceTasks.ts";
import type { TaskRow } from "./serviceTaskQueries.ts";

/** Newest first. */
export async function listIncidents(
  sql: Sql,
  tenantId: number,
  { processInstanceId, resolved, offset, limit }: IncidentQuery,
): Promise<JsonList<Incident>> {
  if (processInstanceId !== undefined && !isUuid(processInstanceId)) return { jsonText: "[]" };
  const instance = processInstanceId ?? null;
  return listAsJson<Incident>(
    sql,
    sql`
      select id::text as incident_id, process_instance_id::text, process_key, activity_id, type, message,
             request_sent, attempt, ${utc(sql, "created_at")} as created_at,
             ${utc(sql, "resolved_at")} as resolved_at
      from waybill.incidents
      where tenant_id = ${tenantId}
        and (resolved_at is not null) = ${resolved}
        and (${instance}::uuid is null or process_instance_id = ${instance}::uuid)
      order by waybill.incidents.created_at desc, id
      limit ${limit}
      offset ${offset}`,
  );
}

/**
 * Turns an attempt into an incident, and keeps the integration's answer if the process could not continue with it.
 * Returns false if the attempt no longer counts. If the attempt is an incident already, because its process was taken
 * for dead, the incident now says what is known; the type "interrupted" says least and replaces nothing.
 */
export async function insertIncident(
  sql: Queryable,
  task: TaskRow,
  incident: NewIncident & { readonly outcome?: string },
): Promise<boolean> {
  const { outcome = null, type, message, requestSent } = incident;
  const [row] = await sql<{ raised: boolean }[]>`
    with failed as (
      update waybill.service_tasks
         set state = 'incident',
             outcome = coalesce(${outcome}::text::json, case when state = 'incident' then outcome end)
       where id = ${task.id}
         and attempt = ${task.attempt}
         and (state = 'running' or (state = 'incident' and ${type !== "interrupted"}))
      returning id
    ),
    corrected as (
      update waybill.incidents
         set type = ${type}, message = ${message}, request_sent = ${requestSent}
       where service_task_id in (select id from failed)
         and resolved_at is null
      returning service_task_id
    ),
    added as (
      insert into waybill.incidents
        (id, tenant_id, process_instance_id, process_key, activity_id, service_task_id, type, message,
         request_sent, attempt)
      select ${Bun.randomUUIDv7()}::text::uuid, ${task.tenantId}, ${task.processInstanceId}::text::uuid,
             ${task.processKey}, ${task.activityId}, id, ${type}, ${message}, ${requestSent}, ${task.attempt}
      from failed
      where id not in (select service_task_id from corrected)
    )
    select exists (select from failed) as raised`;
  return row?.raised ?? false;
}

export interface TimerIncident {
  /** The event; empty if it is not known. */
  readonly activityId: string;
  readonly type: string;
  readonly message: string;
}

/** Returns false if the instance has ended, or if the event has an open incident: it has one at a time. */
export async function insertTimerIncident(
  sql: Sql,
  instance: { readonly id: string; readonly tenantId: number },
  { activityId, type, message }: TimerIncident,
): Promise<boolean> {
  const { count } = await sql`
    insert into waybill.incidents
      (id, tenant_id, process_instance_id, process_key, activity_id, type, message, request_sent, attempt)
    select ${Bun.randomUUIDv7()}, ${instance.tenantId}, i.id, i.process_key, ${activityId}, ${type}, ${message},
           'no', 0
    from waybill.process_instances i
    where i.id = ${instance.id}
      and i.state = 'active'
      and not exists (
        select
        from waybill.incidents o
        where o.process_instance_id = i.id
          and o.service_task_id is null
          and o.resolved_at is null
          and o.activity_id = ${activityId}
      )`;
  return count === 1;
}

export interface LockedIncident {
  readonly processInstanceId: string;
  /** Null for a timer's incident. */
  readonly serviceTaskId: string | null;
  readonly resolved: boolean;
}

/** Locks the instance first, as every step does, so that no two of them deadlock. */
export async function lockIncident(
  tx: Tx,
  tenantId: number,
  id: string,
): Promise<LockedIncident | undefined> {
  await tx`
    select
    from waybill.process_instances i
    where i.id = (
      select n.process_instance_id
      from waybill.incidents n
      where n.id = ${id}
        and n.tenant_id = ${tenantId}
    )
    for update`;
  const [row] = await tx<LockedIncident[]>`
    select process_instance_id::text as "processInstanceId", service_task_id::text as "serviceTaskId",
           resolved_at is not null as resolved
    from waybill.incidents
    where id = ${id}
      and tenant_id = ${tenantId}
    for update`;
  return row;
}

export const resolveIncident = (tx: Tx, id: string) => tx`
  update waybill.incidents
     set resolved_at = now()
   where id = ${id}`;
