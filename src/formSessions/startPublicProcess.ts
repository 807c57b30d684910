import type { Handler } from "../handler.ts";
import { parseVariables } from "../variables/parse.ts";

/** Tenant and process come from the form token; the session starts one process, however often it asks. */
export const startPublicProcess: Handler<"startPublicProcess"> = async (
  { body, caller },
  { engine, log },
) => {
  const { tenant, processKey, id: formSession } = caller;
  const variables = parseVariables(body.variables, log);
  const instance = await engine.start({ tenant, processKey, variables, by: { formSession } });
  const { processInstanceId, state } = instance;
  return {
    status: 201,
    body: { process_instance_id: processInstanceId, process_key: instance.processKey, state },
  };
};
