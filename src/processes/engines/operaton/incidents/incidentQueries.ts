/** What Waybill knows about incidents of service tasks at the engine: statements on two tables. */
import type { Queryable, Sql } from "../../../../infrastructure/database/connect.ts";
import type { NewIncident } from "../../../serviceTasks.ts";

/** An incident of a service task, as Waybill raised it. */
export interface Known extends NewIncident {
  readonly attempt: number;
}

/** Each external task's latest incident. Tasks that have had none, and those of other workers, are absent. */
export async function latestIncidents(
  sql: Sql,
  tenantId: number,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, Known>> {
  const rows = await sql<({ id: string } & Known)[]>`
    select id, incident_type as type, incident_message as message, request_sent as "requestSent",
           coalesce(incident_attempt, attempt) as attempt
    from waybill.external_tasks
    where id = any(${[...taskIds]}::text[])
      and tenant_id = ${tenantId}
      and incident_type is not null`;
  return new Map(rows.map(({ id, ...known }) => [id, known]));
}

/** What those incidents were that somebody has rerun, by the incident. */
export async function rerunIncidents(
  sql: Sql,
  tenantId: number,
  incidentIds: readonly string[],
): Promise<ReadonlyMap<string, Known>> {
  const rows = await sql<({ id: string } & Known)[]>`
    select incident_id as id, type, message, request_sent as "requestSent", attempt
    from waybill.engine_reruns
    where incident_id = any(${[...incidentIds]}::text[])
      and tenant_id = ${tenantId}
      and type is not null`;
  return new Map(rows.map(({ id, ...known }) => [id, known]));
}

export interface RerunRef {
  readonly tenantId: number;
  readonly incidentId: string;
  /** Null for an incident that has none. */
  readonly externalTaskId: string | null;
}

/**
 * Begins a rerun, and keeps what the incident is. Returns false if another one began within `leaseSeconds`: longer than
 * a call of the engine can take.
 */
export async function beginRerun(
  sql: Queryable,
  { tenantId, incidentId, externalTaskId }: RerunRef,
  leaseSeconds: number,
): Promise<boolean> {
  const rows = await sql`
    insert into waybill.engine_reruns as r
      (tenant_id, incident_id, type, message, request_sent, attempt)
    select ${tenantId}, ${incidentId}, t.incident_type, t.incident_message, t.request_sent,
           case when t.incident_type is not null then coalesce(t.incident_attempt, t.attempt) end
    from (select 1) one
    left join waybill.external_tasks t
      on t.id = ${externalTaskId}
     and t.tenant_id = ${tenantId}
    on conflict (tenant_id, incident_id) do update
      set begun_at = now(),
          type = excluded.type,
          message = excluded.message,
          request_sent = excluded.request_sent,
          attempt = excluded.attempt
      where r.begun_at < now() - make_interval(secs => ${leaseSeconds})
    returning incident_id`;
  return rows.length === 1;
}

/** Lets another rerun begin. The row stays, because the engine may have done what it was asked all the same. */
export const endRerun = (sql: Queryable, { tenantId, incidentId }: RerunRef) => sql`
  update waybill.engine_reruns
     set begun_at = '-infinity'
   where tenant_id = ${tenantId}
     and incident_id = ${incidentId}`;

/**
 * The engine has shown the incident, so it was told of it. Waybill may not know that, if it ended at that moment:
 * then it would report the incident again in place of running the task.
 */
export const noteReported = (sql: Queryable, { tenantId, externalTaskId }: RerunRef) => sql`
  update waybill.external_tasks
     set reported = true
   where id = ${externalTaskId}
     and tenant_id = ${tenantId}
     and state = 'incident'
     and not reported`;
