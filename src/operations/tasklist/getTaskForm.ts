import type { Handler } from "../../handler.ts";
import { openTask } from "../../processes/userTasks.ts";

export const getTaskForm: Handler<"getTaskForm"> = async ({ params, caller }, { engine }) => {
  const task = await openTask(engine, caller.tenant, params.task_id);
  return { status: 200, body: await engine.findTaskForm(caller.tenant, task) };
};
