import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { instanceFor } from "../../processes/instances.ts";

export const getProcessInstance: Handler<"getProcessInstance"> = async ({ params, caller }, deps) => {
  const instance = await instanceFor(deps, caller, params.process_instance_id);
  if (!instance) throw new Problem("process_instance_not_found");
  const { processInstanceId, processKey, state, businessKey } = instance;
  return {
    status: 200,
    body: {
      process_instance_id: processInstanceId,
      process_key: processKey,
      state,
      business_key: businessKey,
    },
  };
};
