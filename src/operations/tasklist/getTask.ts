import type { Handler } from "../../handler.ts";
import { openTask } from "../../processes/userTasks.ts";

export const getTask: Handler<"getTask"> = async ({ params, caller }, { engine }) => {
  const task = await openTask(engine, caller.tenant, params.task_id);
  return { status: 200, body: { ...task, form: await engine.findTaskForm(caller.tenant, task) } };
};
