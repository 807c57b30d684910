import type { Handler } from "../handler.ts";
import { parseVariables } from "../variables/parse.ts";

export const completeTask: Handler<"completeTask"> = async ({ params, body, caller }, { engine, log }) => {
  const { tenant, subject: user } = caller;
  const variables = parseVariables(body.variables, log);
  await engine.completeTask({ tenant, taskId: params.task_id, variables, user });
  return { status: 204, body: undefined };
};
