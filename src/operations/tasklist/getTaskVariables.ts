import type { Handler } from "../../handler.ts";
import { openTask } from "../../processes/userTasks/openTask.ts";
import { readVariables } from "../../processes/variables/queries.ts";
import { readView } from "../../processes/variables/show.ts";

export const getTaskVariables: Handler<"getTaskVariables"> = async ({ params, caller }, { sql }) => {
  const task = await openTask(sql, caller.tenant.id, params.task_id);
  const variables = await readVariables(sql, task.process_instance_id);
  const whose = { processKey: task.process_key, processInstanceId: task.process_instance_id };
  return { status: 200, body: { jsonText: JSON.stringify(readView(variables, whose)) } };
};
