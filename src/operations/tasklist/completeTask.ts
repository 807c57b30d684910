import { bindsAny } from "../../files/attachments/actor.ts";
import type { Handler } from "../../handler.ts";
import { taskActorOf } from "../../processes/userTasks.ts";
import { parseVariables } from "../../processes/variables/parse.ts";

export const completeTask: Handler<"completeTask"> = async (
  { params, body, faults, caller, idempotency },
  { engine, log },
) => {
  const { tenant } = caller;
  const variables = parseVariables(body, { faults, log });
  const taskId = params.task_id;
  const by = taskActorOf(caller);
  const once = idempotency && { request: idempotency, answerOf: () => done };
  await engine.completeTask({ tenant, taskId, variables, by, bindsAny: bindsAny(caller), once });
  return done;
};

const done = { status: 204, body: undefined } as const;
