/** Creates every incident, and logs it for operators. */
import type { NewIncident } from "../../serviceTasks.ts";
import type { EngineContext } from "./engineContext.ts";
import { insertIncident, insertTimerIncident, type TimerIncident } from "./incidentQueries.ts";
import type { TaskRow } from "./serviceTaskQueries.ts";

/** Turns an attempt into an incident, or updates the incident that it already is. */
export async function raise({ sql, log }: EngineContext, row: TaskRow, incident: NewIncident): Promise<void> {
  const raised = await insertIncident(sql, row, incident);
  log.warn(factsOf(row, incident), raised ? created : "Failure ignored: the service task is no longer open");
}

/** As `raise`, for an answer with which the process could not continue. A rerun uses the answer and sends nothing. */
export async function raiseWithAnswer(
  { sql, log }: EngineContext,
  row: TaskRow,
  { outcome, cause, ...incident }: NewIncident & { readonly outcome: string; readonly cause: unknown },
): Promise<void> {
  const raised = await insertIncident(sql, row, { ...incident, outcome });
  log.warn(
    { ...factsOf(row, incident), err: cause },
    raised ? created : "Answer ignored: the service task is no longer open",
  );
}

/** An incident of a timer, which has no service task. An event has one such incident at a time. */
export async function raiseOfTimer(
  { sql, log }: EngineContext,
  instance: { readonly id: string; readonly tenantId: number },
  { cause, ...incident }: TimerIncident & { readonly cause: unknown },
): Promise<void> {
  if (!(await insertTimerIncident(sql, instance, incident))) return;
  const { id: process_instance_id, tenantId: tenant_id } = instance;
  const { activityId: activity_id, type } = incident;
  log.warn(
    { tenant_id, process_instance_id, activity_id, type, err: cause },
    "Timer failed; incident created",
  );
}

const created = "Service task failed; incident created";

const factsOf = (row: TaskRow, { type }: NewIncident) => ({
  tenant_id: row.tenantId,
  process_instance_id: row.processInstanceId,
  activity_id: row.activityId,
  attempt: row.attempt,
  type,
});
