import type { Handler } from "../../handler.ts";
import { taskActorOf } from "../../processes/userTasks.ts";

export const claimTask: Handler<"claimTask"> = async ({ params, caller }, { engine }) => {
  await engine.claimTask({ tenant: caller.tenant, taskId: params.task_id, by: taskActorOf(caller) });
  return { status: 204, body: undefined };
};
