import type { Handler } from "../handler.ts";
import { openTask } from "./openTask.ts";
import { findForm } from "./queries.ts";

export const getTask: Handler<"getTask"> = async ({ params, caller }, { sql }) => {
  const task = await openTask(sql, caller.tenant.id, params.task_id);
  return { status: 200, body: { ...task, form: await findForm(sql, task) } };
};
