import type { Handler } from "../../handler.ts";
import { openTask } from "../../processes/userTasks/openTask.ts";
import { findForm } from "../../processes/userTasks/queries.ts";

export const getTask: Handler<"getTask"> = async ({ params, caller }, { sql }) => {
  const task = await openTask(sql, caller.tenant.id, params.task_id);
  return { status: 200, body: { ...task, form: await findForm(sql, task) } };
};
