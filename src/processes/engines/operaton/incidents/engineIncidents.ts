/**
 * Incidents in the engine's history, open and ended ones. An incident in a called process has a copy in each instance
 * above it, without a configuration. Waybill shows the cause alone, which is what a rerun is about.
 */
import Type from "typebox";
import { Problem } from "../../../../infrastructure/problem.ts";
import type { Tenant } from "../../../../tenants/tenant.ts";
import type { IncidentQuery } from "../../../engine.ts";
import { engineMoment, momentOrNull, shapeOf, text, textOrNull } from "../answerShape.ts";
import { inParallel } from "../inParallel.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { isEngineId } from "../rest.ts";

const EngineIncident = Type.Object({
  id: text,
  tenantId: textOrNull,
  processDefinitionKey: textOrNull,
  processInstanceId: textOrNull,
  createTime: engineMoment,
  /** Null while the incident is open. */
  endTime: momentOrNull,
  /** `failedExternalTask`, `failedJob`, or any other that an application has made. */
  incidentType: text,
  activityId: textOrNull,
  /** Where the process failed after a job began at `activityId`. */
  failedActivityId: textOrNull,
  rootCauseIncidentId: textOrNull,
  /** The id of the external task or of the job. */
  configuration: textOrNull,
  /** The id of the entry in the log of external tasks or of jobs. */
  historyConfiguration: textOrNull,
  /** Cut at 666 characters. */
  incidentMessage: textOrNull,
});
export type EngineIncident = Readonly<Type.Static<typeof EngineIncident>>;
const incidentsShape = shapeOf(Type.Array(EngineIncident));

/** Incidents that the engine is asked for at a time, at least and at most. There are copies among them. */
const leastAsked = 100;
const mostAsked = 500;
/** Incidents that are read for one page. */
const mostRead = 10_000;

/**
 * A page of causes, newest first. With an instance, those of the instances that it has called are among them. Throws
 * `answer_too_large` for a page that is too far back.
 */
export async function readIncidents(
  context: OperatonContext,
  tenant: Tenant,
  query: IncidentQuery,
): Promise<EngineIncident[]> {
  const { processInstanceId: instance, offset, limit } = query;
  if (instance !== undefined && !isEngineId(instance)) return [];
  const causes = new Map<string, EngineIncident>();
  const batch = Math.min(mostAsked, Math.max(leastAsked, 2 * (offset + limit)));
  for (let read = 0; causes.size < offset + limit; read += batch) {
    if (read >= mostRead) throw tooFarBack();
    const incidents = await ask(context, tenant, {
      ...conditionsOf(query),
      firstResult: read,
      maxResults: batch,
    });
    for (const incident of incidents) {
      const cause = incident.rootCauseIncidentId ?? incident.id;
      if (instance !== undefined || cause === incident.id) causes.set(cause, causes.get(cause) ?? incident);
    }
    if (incidents.length < batch) break;
  }
  const page = [...causes.values()].slice(offset, offset + limit);
  return inParallel(page, (incident) => causeOf(context, tenant, incident));
}

const conditionsOf = ({ processInstanceId, resolved }: IncidentQuery) => ({
  processInstanceId,
  // An incident ends as resolved, or as deleted with its instance.
  ...(resolved ? { endTimeAfter: "1970-01-01T00:00:00.000+0000" } : { open: true }),
  sortBy: "createTime",
  sortOrder: "desc",
});

const tooFarBack = () =>
  new Problem("answer_too_large", {
    message: `Only the newest ${mostRead} incidents can be listed. Ask for those of one process instance.`,
  });

/** The incident itself, or the one that it is a copy of. */
export async function causeOf(
  context: OperatonContext,
  tenant: Tenant,
  incident: EngineIncident,
): Promise<EngineIncident> {
  const cause = incident.rootCauseIncidentId ?? incident.id;
  return cause === incident.id ? incident : ((await findIncident(context, tenant, cause)) ?? incident);
}

/** Undefined if the tenant has no such incident. */
export async function findIncident(
  context: OperatonContext,
  tenant: Tenant,
  incidentId: string,
): Promise<EngineIncident | undefined> {
  return isEngineId(incidentId) ? (await ask(context, tenant, { incidentId, maxResults: 1 }))[0] : undefined;
}

/** Whether the external task has no later incident. */
export async function isNewest(
  context: OperatonContext,
  tenant: Tenant,
  { id, configuration }: EngineIncident,
): Promise<boolean> {
  const newestFirst = { sortBy: "createTime", sortOrder: "desc", maxResults: 1 };
  const [newest] = await ask(context, tenant, { configuration: configuration ?? undefined, ...newestFirst });
  return newest?.id === id;
}

type Conditions = Readonly<Record<string, string | number | boolean | undefined>>;

async function ask(
  { rest }: OperatonContext,
  { slug }: Tenant,
  conditions: Conditions,
): Promise<EngineIncident[]> {
  const query = { ...conditions, tenantIdIn: slug };
  const incidents = await rest.call({ path: "/history/incident", query }, incidentsShape);
  return incidents.filter(({ tenantId }) => tenantId === slug);
}
