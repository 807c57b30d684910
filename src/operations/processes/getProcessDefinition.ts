import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { shownTo } from "../../processes/definitions.ts";

export const getProcessDefinition: Handler<"getProcessDefinition"> = async (
  { params, caller },
  { engine },
) => {
  const definition = await engine.findDefinition(caller.tenant, params.process_key);
  if (!definition) throw new Problem("process_not_found");
  return { status: 200, body: await shownTo(caller, { engine, definition }) };
};
