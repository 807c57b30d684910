import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { instanceFor } from "../../processes/instances.ts";
import { engineView } from "../../processes/variables/show.ts";

export const getProcessVariables: Handler<"getProcessVariables"> = async ({ params, caller }, deps) => {
  const instance = await instanceFor(deps, caller, params.process_instance_id);
  if (!instance) throw new Problem("process_instance_not_found");
  const variables = await deps.engine.readVariables(caller.tenant, instance.processInstanceId);
  return { status: 200, body: { jsonText: JSON.stringify(engineView(variables)) } };
};
