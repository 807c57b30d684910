import type { Handler } from "../../handler.ts";

export const assignTask: Handler<"assignTask"> = async (
  { params, body, caller, requestId },
  { engine, log },
) => {
  const { tenant, subject: actor } = caller;
  const { task_id: taskId } = params;
  const { assignee } = body;
  await engine.assignTask({ tenant, taskId, assignee, by: { actor, requestId } });
  log.info({ tenant_id: tenant.id, actor, task_id: taskId }, "Task assigned");
  return { status: 204, body: undefined };
};
