import type { Handler } from "../handler.ts";
import { parseVariables } from "../variables/parse.ts";

export const setProcessVariables: Handler<"setProcessVariables"> = async (
  { params, body, caller },
  { engine, log },
) => {
  const { process_instance_id: processInstanceId } = params;
  const variables = parseVariables(body.variables, log);
  await engine.setVariables({ tenant: caller.tenant, processInstanceId, variables });
  const names = [...variables.keys()];
  log.info(
    { tenant_id: caller.tenant.id, actor: caller.subject, process_instance_id: processInstanceId, names },
    "variables are corrected",
  );
  return { status: 204, body: undefined };
};
