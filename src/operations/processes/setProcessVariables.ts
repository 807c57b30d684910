import type { Handler } from "../../handler.ts";
import { parseVariables } from "../../processes/variables/parse.ts";

export const setProcessVariables: Handler<"setProcessVariables"> = async (
  { params, body, faults, caller, requestId },
  { engine, log },
) => {
  const { process_instance_id: processInstanceId } = params;
  const { tenant, subject: actor } = caller;
  const variables = parseVariables(body, { faults, log });
  await engine.setVariables({ tenant, processInstanceId, variables, by: { actor, requestId } });
  const names = [...variables.keys()];
  log.info(
    { tenant_id: tenant.id, actor, process_instance_id: processInstanceId, names },
    "Variables corrected",
  );
  return { status: 204, body: undefined };
};
