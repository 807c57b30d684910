import type { Handler } from "../handler.ts";
import { readVariables } from "../variables/queries.ts";
import { readView } from "../variables/show.ts";
import { openTask } from "./openTask.ts";

export const getTaskVariables: Handler<"getTaskVariables"> = async ({ params, caller }, { sql }) => {
  const task = await openTask(sql, caller.tenant.id, params.task_id);
  const variables = await readVariables(sql, task.process_instance_id);
  const whose = { processKey: task.process_key, processInstanceId: task.process_instance_id };
  return { status: 200, body: { jsonText: JSON.stringify(readView(variables, whose)) } };
};
