import type { FaultMergingHandler } from "../handler.ts";
import { parseVariables } from "../variables/parse.ts";

export const completeTask: FaultMergingHandler<"completeTask"> = {
  mergesFaults: async ({ params, body, faults, caller }, { engine, log }) => {
    const { tenant, subject: user } = caller;
    const variables = parseVariables(body, { faults, log });
    await engine.completeTask({ tenant, taskId: params.task_id, variables, user });
    return { status: 204, body: undefined };
  },
};
