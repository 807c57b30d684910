import type { Handler } from "../handler.ts";

export const rerunIncident: Handler<"rerunIncident"> = async ({ params, caller }, { engine, log }) => {
  const { incident_id } = params;
  const { processInstanceId } = await engine.rerun(caller.tenant, incident_id);
  log.info({ tenant_id: caller.tenant.id, actor: caller.subject, incident_id }, "an incident is run again");
  return { status: 202, body: { incident_id, process_instance_id: processInstanceId } };
};
