import type { Handler } from "../handler.ts";

export const terminateProcessInstance: Handler<"terminateProcessInstance"> = async (
  { params, caller },
  { engine },
) => {
  await engine.terminate(caller.tenant, params.process_instance_id);
  return { status: 204, body: undefined };
};
