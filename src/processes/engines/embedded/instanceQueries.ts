/** Statements on `waybill.process_instances`. */
import type { Fragment, Queryable, Tx } from "../../../infrastructure/database/connect.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import type { InstanceDetail } from "../../engine.ts";

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
  /** Whether the task of the step was closed. True if there is none. */
  readonly closed: boolean;
}

/**
 * Parts of a statement that close the task of a step: `closed` has a row if it was open. They need a row of `locked`,
 * so they run once the instance is locked.
 */
export type Closing = (sql: Queryable) => Fragment;

/** The job that waits for the instance's next timer. */
export interface TimerJobRow {
  readonly job: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/**
 * Locks the instance until the transaction ends, so that steps run one at a time, and closes the task of the step.
 * `now` is read from the clock and not from the transaction, which may have waited for the lock.
 */
export async function lockInstance(
  tx: Tx,
  { id, tenantId, closing }: { readonly id: string; readonly tenantId: number; readonly closing?: Closing },
): Promise<LockedInstance | undefined> {
  const [row] = await tx<LockedInstance[]>`
    with locked as (
      select *
      from waybill.process_instances
      where id = ${id}
        and tenant_id = ${tenantId}
      for update
    )
    ${closing ? closing(tx) : tx`, closed as (select 1)`}
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
           ) end as timer,
           exists (select from closed) as closed
    from locked i
    join waybill.process_definitions d on d.id = i.definition_id`;
  return row;
}
