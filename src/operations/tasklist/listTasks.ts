import type { Handler } from "../../handler.ts";
import { isUuid } from "../../infrastructure/uuid.ts";
import { findTasks } from "../../processes/userTasks/queries.ts";

export const listTasks: Handler<"listTasks"> = async ({ query, caller }, { sql }) => {
  const { process_instance_id: instance, page = 0, limit = 50 } = query;
  if (instance !== undefined && !isUuid(instance)) return { status: 200, body: [] };
  const wanted = { tenantId: caller.tenant.id, processInstanceId: instance ?? null };
  return { status: 200, body: await findTasks(sql, wanted, { offset: page * limit, limit }) };
};
