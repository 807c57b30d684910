/** Incidents are raised here and nowhere else: each one is in the log too, where operators watch for it. */
import type { NewIncident } from "../../serviceTasks.ts";
import type { EngineContext } from "./engineContext.ts";
import { insertIncident, insertTimerIncident, type TimerIncident } from "./incidentQueries.ts";
import type { TaskRow } from "./serviceTaskQueries.ts";

/** The attempt becomes an incident, or the incident that it is already says what is known now. */
export async function raise({ sql, log }: EngineContext, row: TaskRow, incident: NewIncident): Promise<void> {
  const raised = await insertIncident(sql, row, incident);
  log.warn(told(row, incident), raised ? "an incident" : "a failure of a service task that is over");
}

/** The integration answered, and the process cannot go on by it: the answer is kept for a rerun, which sends nothing. */
export async function raiseWithAnswer(
  { sql, log }: EngineContext,
  row: TaskRow,
  { outcome, cause, ...incident }: NewIncident & { readonly outcome: string; readonly cause: unknown },
): Promise<void> {
  const raised = await insertIncident(sql, row, { ...incident, outcome });
  log.warn(
    { ...told(row, incident), err: cause },
    raised ? "an incident" : "an answer of a service task that is over",
  );
}

/** A timer that cannot go on has no service task behind it. An event has one such incident at a time. */
export async function raiseOfTimer(
  { sql, log }: EngineContext,
  instance: { readonly id: string; readonly tenantId: number },
  { cause, ...incident }: TimerIncident & { readonly cause: unknown },
): Promise<void> {
  if (!(await insertTimerIncident(sql, instance, incident))) return;
  const { id: process_instance_id, tenantId: tenant_id } = instance;
  const { activityId: activity_id, type } = incident;
  log.warn({ tenant_id, process_instance_id, activity_id, type, err: cause }, "an incident");
}

const told = (row: TaskRow, { type }: NewIncident) => ({
  tenant_id: row.tenantId,
  process_instance_id: row.processInstanceId,
  activity_id: row.activityId,
  attempt: row.attempt,
  type,
});
