import { bindsAny } from "../../files/attachments/actor.ts";
import type { Handler } from "../../handler.ts";
import { parseVariables } from "../../processes/variables/parse.ts";

export const completeTask: Handler<"completeTask"> = async (
  { params, body, faults, caller },
  { engine, log },
) => {
  const { tenant, subject: user } = caller;
  const variables = parseVariables(body, { faults, log });
  const taskId = params.task_id;
  await engine.completeTask({ tenant, taskId, variables, user, bindsAny: bindsAny(caller) });
  return { status: 204, body: undefined };
};
