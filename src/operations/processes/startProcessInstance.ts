import { bindsAny } from "../../files/attachments/actor.ts";
import type { NewProcessInstance } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { parseVariables } from "../../processes/variables/parse.ts";

export const startProcessInstance: Handler<"startProcessInstance"> = async (
  { body, faults, caller },
  { engine, log },
) => {
  const { tenant, subject: user } = caller;
  const variables = parseVariables(body, { faults, log });
  const { process_key: key, business_key: businessKey } = body as NewProcessInstance;
  const { processInstanceId, processKey, state } = await engine.start({
    tenant,
    processKey: key,
    businessKey,
    variables,
    by: { user, bindsAny: bindsAny(caller) },
  });
  return {
    status: 201,
    body: { process_instance_id: processInstanceId, process_key: processKey, state },
  };
};
