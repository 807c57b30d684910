import type { Handler } from "../handler.ts";

export const terminateProcessInstance: Handler<"terminateProcessInstance"> = async (
  { params, caller },
  { engine, log },
) => {
  const { process_instance_id } = params;
  await engine.terminate(caller.tenant, process_instance_id);
  log.info(
    { tenant_id: caller.tenant.id, actor: caller.subject, process_instance_id },
    "an instance was terminated",
  );
  return { status: 204, body: undefined };
};
