import type { Handler } from "../handler.ts";
import { Problem } from "../problem.ts";
import { loadModel } from "../processEngine/model/readModel.ts";
import { findDefinition } from "./queries.ts";

export const getProcessDefinition: Handler<"getProcessDefinition"> = async ({ params, caller }, { sql }) => {
  const found = await findDefinition(sql, caller.tenant.id, params.process_key);
  if (!found) throw new Problem("process_not_found");
  const { forms, ...definition } = found;
  const { startFormRef = "" } = await loadModel(definition.bpmn);
  return { status: 200, body: { ...definition, start_form: forms[startFormRef] ?? null } };
};
