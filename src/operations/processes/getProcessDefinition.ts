import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { findLatestDefinition } from "../../processes/definitions/definition.ts";
import { findBpmn } from "../../processes/engines/embedded/queries.ts";

export const getProcessDefinition: Handler<"getProcessDefinition"> = async (
  { params, caller },
  { sql, workers, caches },
) => {
  const definition = await findLatestDefinition(
    { sql, workers, caches },
    caller.tenant.id,
    params.process_key,
  );
  if (!definition) throw new Problem("process_not_found");
  const { id, ...shown } = definition;
  // The text says where integrations are, and how they are called.
  if (!caller.roles.includes("admin_sop")) return { status: 200, body: shown };
  const { bpmn } = await findBpmn(sql, id);
  return { status: 200, body: { ...shown, bpmn } };
};
