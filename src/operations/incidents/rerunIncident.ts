import type { Handler } from "../../handler.ts";

export const rerunIncident: Handler<"rerunIncident"> = async (
  { params, caller, requestId },
  { engine, log },
) => {
  const { incident_id } = params;
  const { tenant, subject: actor } = caller;
  const by = { actor, requestId };
  const { processInstanceId } = await engine.rerun({ tenant, incidentId: incident_id, by });
  log.info({ tenant_id: tenant.id, actor, incident_id }, "Incident rerun");
  return { status: 202, body: { incident_id, process_instance_id: processInstanceId } };
};
