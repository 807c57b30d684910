import type { Handler } from "../../handler.ts";
import { openTask } from "../../processes/userTasks.ts";
import { readView } from "../../processes/variables/show.ts";

export const getTaskVariables: Handler<"getTaskVariables"> = async ({ params, caller }, { engine }) => {
  const { process_key: processKey, process_instance_id: processInstanceId } = await openTask(
    engine,
    caller.tenant,
    params.task_id,
  );
  const variables = await engine.readVariables(caller.tenant, processInstanceId);
  const view = readView(variables, { processKey, processInstanceId });
  return { status: 200, body: { jsonText: JSON.stringify(view) } };
};
