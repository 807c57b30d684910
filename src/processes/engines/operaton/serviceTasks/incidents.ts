/** Creates every incident of a service task, and logs it for operators. */
import type { NewIncident } from "../../../serviceTasks.ts";
import type { ServiceTaskContext } from "./externalTask.ts";
import { storeIncident, type TaskRow } from "./taskQueries.ts";
import { tellIncident } from "./tellEngine.ts";

/** Turns an attempt into an incident, or updates the incident that it already is. */
export async function raise(context: ServiceTaskContext, row: TaskRow, incident: NewIncident): Promise<void> {
  const stored = await storeIncident(context.sql, row, incident);
  const {
    tenantId: tenant_id,
    processInstanceId: process_instance_id,
    activityId: activity_id,
    attempt,
  } = row;
  context.log.warn(
    { tenant_id, process_instance_id, activity_id, attempt, type: incident.type },
    stored ? "Service task failed; incident created" : "Failure ignored: the service task is no longer open",
  );
  if (stored && !stored.reported)
    await tellIncident(context, { ...row, worker: stored.worker }, incident.message);
}
