import type { Handler } from "../../handler.ts";

export const listIncidents: Handler<"listIncidents"> = async ({ query, caller }, { engine }) => {
  const { process_instance_id: processInstanceId, resolved = false, page = 0, limit = 50 } = query;
  const wanted = { processInstanceId, resolved, offset: page * limit, limit };
  return { status: 200, body: await engine.listIncidents(caller.tenant, wanted) };
};
