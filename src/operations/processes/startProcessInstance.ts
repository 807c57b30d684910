import { bindsAny } from "../../files/attachments/actor.ts";
import type { NewProcessInstance } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import type { Instance } from "../../processes/engine.ts";
import { parseVariables } from "../../processes/variables/parse.ts";

export const startProcessInstance: Handler<"startProcessInstance"> = async (
  { body, faults, caller, idempotency },
  { engine, log },
) => {
  const { tenant, subject: user } = caller;
  const variables = parseVariables(body, { faults, log });
  const { process_key: key, business_key: businessKey } = body as NewProcessInstance;
  const started = await engine.start({
    tenant,
    processKey: key,
    businessKey,
    variables,
    by: { user, bindsAny: bindsAny(caller) },
    once: idempotency && { request: idempotency, answerOf },
  });
  return answerOf(started);
};

const answerOf = ({ processInstanceId, processKey, state }: Instance) => ({
  status: 201 as const,
  body: { process_instance_id: processInstanceId, process_key: processKey, state },
});
