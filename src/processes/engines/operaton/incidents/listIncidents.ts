/**
 * The list of incidents. The engine knows which there are, and cuts their messages. Waybill knows type, attempt, whole
 * message and whether the request was sent, for the service tasks that it carries out.
 */
import Type from "typebox";
import type { Incident } from "../../../../generated/schemas.ts";
import type { Tenant } from "../../../../tenants/tenant.ts";
import type { IncidentQuery } from "../../../engine.ts";
import { shapeOf, textOrNull } from "../answerShape.ts";
import { parseEngineTime } from "../engineTime.ts";
import { inParallel } from "../inParallel.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { at } from "../rest.ts";
import { EngineError, isTooLarge } from "../restErrors.ts";
import { type EngineIncident, isNewest, readIncidents } from "./engineIncidents.ts";
import { type Known, latestIncidents, rerunIncidents } from "./incidentQueries.ts";

/** A page, newest first. Throws `answer_too_large`, `EngineError` and `EngineUnreachable`. */
export async function listIncidents(
  context: OperatonContext,
  tenant: Tenant,
  query: IncidentQuery,
): Promise<Incident[]> {
  const incidents = await readIncidents(context, tenant, query);
  const tasks = incidents.filter(isOfExternalTask).flatMap(({ configuration }) => configuration ?? []);
  const latest = await latestIncidents(context.sql, tenant.id, tasks);
  const ids = incidents.map(({ id }) => id);
  const rerun = await rerunIncidents(context.sql, tenant.id, ids);
  return inParallel(incidents, async (incident) => {
    const isOpen = incident.endTime === null;
    const then = isOpen ? undefined : rerun.get(incident.id);
    const now = latest.get(incident.configuration ?? "");
    const known = then ?? (now && (isOpen || (await isNewest(context, tenant, incident))) ? now : undefined);
    return shown(incident, known ?? (await described(context, incident, { isOwn: now !== undefined })));
  });
}

const isOfExternalTask = ({ incidentType }: EngineIncident) => incidentType === "failedExternalTask";

function shown(incident: EngineIncident, { type, message, requestSent, attempt }: Known): Incident {
  const { createTime, endTime } = incident;
  return {
    incident_id: incident.id,
    process_instance_id: incident.processInstanceId ?? "",
    process_key: incident.processDefinitionKey ?? "",
    activity_id: incident.activityId ?? "",
    type,
    message,
    request_sent: requestSent,
    attempt,
    created_at: parseEngineTime(createTime).toISOString(),
    resolved_at: endTime === null ? null : parseEngineTime(endTime).toISOString(),
  };
}

/** What the engine alone knows about an incident. */
async function described(
  context: OperatonContext,
  incident: EngineIncident,
  { isOwn }: { readonly isOwn: boolean },
): Promise<Known> {
  const nothingSent = { requestSent: "no", attempt: 0 } as const;
  if (isOfExternalTask(incident)) {
    if (isOwn) return { ...(await earlierFailure(context, incident)), requestSent: "unknown", attempt: 0 };
    return { ...(await failureOfOthers(context, incident)), ...nothingSent };
  }
  if (incident.incidentType === "failedJob") return { ...failureOfJob(incident), ...nothingSent };
  const text = messageOf(incident);
  const what = `An application has reported an incident of the type "${incident.incidentType}"`;
  const message = `${what}: ${text} The application has to resolve it.`;
  return { type: incident.incidentType, message, ...nothingSent };
}

/** An incident of Waybill's that another client has rerun: its text is left in the engine's log. */
async function earlierFailure(
  { rest }: OperatonContext,
  incident: EngineIncident,
): Promise<Pick<Known, "type" | "message">> {
  const entry = incident.historyConfiguration;
  const path = entry && at`/history/external-task-log/${entry}/error-details`;
  const bytes = path ? await rest.bytes({ path }).catch(unlessUnreadable) : undefined;
  const text = new TextDecoder().decode(bytes?.subarray(0, mostText)).trim();
  return { type: "external_task_failed", message: text || messageOf(incident) };
}

/** Bytes of one text. */
const mostText = 16 * 1024;

const logShape = shapeOf(Type.Object({ topicName: textOrNull }));

/** A task of a topic that another worker serves. */
async function failureOfOthers(
  { rest }: OperatonContext,
  incident: EngineIncident,
): Promise<Pick<Known, "type" | "message">> {
  const entry = incident.historyConfiguration;
  const path = entry && at`/history/external-task-log/${entry}`;
  const log = path ? await rest.call({ path }, logShape).catch(unlessMissing) : undefined;
  const worker = log?.topicName ? `The worker of the topic "${log.topicName}"` : "The worker of the task";
  const message = `${worker} has failed: ${messageOf(incident)} A rerun hands the task out again.`;
  return { type: "external_task_failed", message };
}

/** A text may be too large to be read. The incident has its beginning. */
const unlessUnreadable = (error: unknown) => (isTooLarge(error) ? undefined : unlessMissing(error));

/** The history cleanup may have removed the entry. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof EngineError && error.status === 404)) throw error;
}

/** A timer, or a step that the model lets the engine do later. */
function failureOfJob(incident: EngineIncident): Pick<Known, "type" | "message"> {
  const { failedActivityId, activityId } = incident;
  const where = failedActivityId ?? activityId;
  const place = where === null ? "" : ` at "${where}"`;
  const message = `The process could not continue${place}: ${messageOf(incident)} A rerun tries it again.`;
  return { type: "process_failed", message };
}

/** The engine's text as a sentence. */
function messageOf({ incidentMessage }: EngineIncident): string {
  const text = incidentMessage?.trim() || "no reason was given";
  if (text.length >= cutAt) return `${text}… (cut by the engine).`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Characters to which the engine cuts a message. */
const cutAt = 666;
