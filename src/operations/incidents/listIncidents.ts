import type { Handler } from "../../handler.ts";
import { isUuid } from "../../infrastructure/uuid.ts";
import { findIncidents } from "../../processes/incidents.ts";

export const listIncidents: Handler<"listIncidents"> = async ({ query, caller }, { sql }) => {
  const { process_instance_id: instance, resolved = false, page = 0, limit = 50 } = query;
  if (instance !== undefined && !isUuid(instance)) return { status: 200, body: [] };
  const wanted = { tenantId: caller.tenant.id, processInstanceId: instance ?? null, resolved };
  return { status: 200, body: await findIncidents(sql, wanted, { offset: page * limit, limit }) };
};
