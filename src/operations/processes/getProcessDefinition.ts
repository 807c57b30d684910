import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

export const getProcessDefinition: Handler<"getProcessDefinition"> = async (
  { params, caller },
  { engine },
) => {
  const { tenant, roles } = caller;
  const definition = await engine.findDefinition(tenant, params.process_key);
  if (!definition) throw new Problem("process_not_found");
  const { id, ...shown } = definition;
  // The text shows where integrations are and how they are called.
  if (!roles.includes("admin_sop")) return { status: 200, body: shown };
  return { status: 200, body: { ...shown, bpmn: await engine.readBpmn(tenant, id) } };
};
