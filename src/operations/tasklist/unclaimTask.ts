import type { Handler } from "../../handler.ts";
import { taskActorOf } from "../../processes/userTasks.ts";

export const unclaimTask: Handler<"unclaimTask"> = async ({ params, caller }, { engine }) => {
  await engine.unclaimTask({ tenant: caller.tenant, taskId: params.task_id, by: taskActorOf(caller) });
  return { status: 204, body: undefined };
};
