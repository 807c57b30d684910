import type { Handler } from "../handler.ts";
import { parseVariables } from "../variables/parse.ts";

export const startProcessInstance: Handler<"startProcessInstance"> = async (
  { body, caller },
  { engine, log },
) => {
  const { tenant, subject: user } = caller;
  const variables = parseVariables(body.variables, log);
  const instance = await engine.start({ tenant, processKey: body.process_key, variables, by: { user } });
  const { processInstanceId, processKey, state } = instance;
  return { status: 201, body: { process_instance_id: processInstanceId, process_key: processKey, state } };
};
