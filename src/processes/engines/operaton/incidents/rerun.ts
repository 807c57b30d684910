/** Reruns an incident: gives its external task or its job a retry. The engine then resolves the incident. */
import type { Sql } from "../../../../infrastructure/database/connect.ts";
import { Problem } from "../../../../infrastructure/problem.ts";
import { recordSuccess } from "../../../../tenants/audit.ts";
import type { Tenant } from "../../../../tenants/tenant.ts";
import type { Rerun } from "../../../engine.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { repeatIfLocked } from "../repeat.ts";
import { at } from "../rest.ts";
import { isJudgement } from "../restErrors.ts";
import { causeOf, type EngineIncident, findIncident } from "./engineIncidents.ts";
import { beginRerun, endRerun, noteReported, type RerunRef } from "./incidentQueries.ts";

/**
 * A service task with a stored outcome only completes: whoever fetches it sees the outcome. Throws
 * `incident_not_found`, `incident_resolved`, `not_supported_by_engine`, `EngineError` and `EngineUnreachable`.
 */
export async function rerun(
  context: OperatonContext,
  { tenant, incidentId, by }: Rerun,
): Promise<{ readonly processInstanceId: string }> {
  const incident = await openIncident(context, tenant, incidentId);
  const path = retriesOf(incident);
  const ref = refOf(tenant, incident);
  // Two reruns at the same moment would both find the incident open.
  const seconds = (context.config.engine?.timeoutMs ?? 0) / 1_000 + leaseSeconds;
  if (!(await beginRerun(context.sql, ref, seconds))) throw new Problem("incident_resolved");
  await noteReported(context.sql, ref);
  await giveRetry(context, path).catch((error) => abandon(context, { tenant, ref, error }));
  const processInstanceId = incident.processInstanceId ?? "";
  await recordRerun(context.sql, { tenant, incident, by });
  return { processInstanceId };
}

/** Beyond the time limit of a call. */
const leaseSeconds = 30;

async function openIncident(context: OperatonContext, tenant: Tenant, id: string): Promise<EngineIncident> {
  const found = await findIncident(context, tenant, id);
  if (!found) throw new Problem("incident_not_found");
  const cause = await causeOf(context, tenant, found);
  if (cause.endTime !== null) throw new Problem("incident_resolved");
  return cause;
}

function retriesOf({ incidentType, configuration }: EngineIncident): string {
  if (configuration !== null && incidentType === "failedExternalTask")
    return at`/external-task/${configuration}/retries`;
  if (configuration !== null && incidentType === "failedJob") return at`/job/${configuration}/retries`;
  throw new Problem("not_supported_by_engine", {
    message:
      `An application has reported this incident, with the type "${incidentType}". ` +
      "Waybill cannot run anything again for it. The application has to resolve it.",
  });
}

const refOf = ({ id: tenantId }: Tenant, { id, incidentType, configuration }: EngineIncident): RerunRef => ({
  tenantId,
  incidentId: id,
  externalTaskId: incidentType === "failedExternalTask" ? configuration : null,
});

const giveRetry = ({ rest }: OperatonContext, path: string): Promise<void> =>
  repeatIfLocked(() => rest.call({ method: "PUT", path, body: { retries: 1 } }));

interface Failed {
  readonly tenant: Tenant;
  readonly ref: RerunRef;
  readonly error: unknown;
}

/** Somebody may rerun the incident again. Throws what the caller has to know. */
async function abandon(context: OperatonContext, { tenant, ref, error }: Failed): Promise<never> {
  await endRerun(context.sql, ref);
  // The task or the job is gone if its instance has ended or moved on in the meantime.
  if (isJudgement(error)) await openIncident(context, tenant, ref.incidentId);
  throw error;
}

const recordRerun = (
  sql: Sql,
  {
    tenant,
    incident,
    by,
  }: { readonly tenant: Tenant; readonly incident: EngineIncident; readonly by: Rerun["by"] },
) =>
  recordSuccess(sql, {
    tenantId: tenant.id,
    actor: by.actor,
    requestId: by.requestId,
    table: undefined,
    action: "rerun_incident",
    statement: `rerun incident ${incident.id} of process instance ${incident.processInstanceId}`,
    affectedRows: null,
  });
