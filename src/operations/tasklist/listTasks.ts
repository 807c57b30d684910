import type { Handler } from "../../handler.ts";

export const listTasks: Handler<"listTasks"> = async ({ query, caller }, { engine }) => {
  const { page = 0, limit = 50, assignee, unassigned } = query;
  const tasks = await engine.listTasks(caller.tenant, {
    processInstanceId: query.process_instance_id,
    processKey: query.process_key,
    assignee,
    candidateGroup: query.candidate_group,
    unassigned,
    offset: page * limit,
    limit,
  });
  return { status: 200, body: tasks };
};
