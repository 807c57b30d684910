import type { Handler } from "../../handler.ts";

export const terminateProcessInstance: Handler<"terminateProcessInstance"> = async (
  { params, caller, requestId },
  { engine, log },
) => {
  const { process_instance_id } = params;
  const { tenant, subject: actor } = caller;
  await engine.terminate({
    tenant,
    processInstanceId: process_instance_id,
    by: { actor, requestId },
  });
  log.info({ tenant_id: tenant.id, actor, process_instance_id }, "Process instance terminated");
  return { status: 204, body: undefined };
};
