import type { Handler } from "../../handler.ts";

export const listTasks: Handler<"listTasks"> = async ({ query, caller }, { engine }) => {
  const { process_instance_id: processInstanceId, page = 0, limit = 50 } = query;
  const tasks = await engine.listTasks(caller.tenant, { processInstanceId, offset: page * limit, limit });
  return { status: 200, body: tasks };
};
