import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { instanceFor } from "../../processes/instances.ts";
import { readVariables } from "../../processes/variables/queries.ts";
import { engineView } from "../../processes/variables/show.ts";

export const getProcessVariables: Handler<"getProcessVariables"> = async ({ params, caller }, { sql }) => {
  const instance = await instanceFor(sql, caller, params.process_instance_id);
  if (!instance) throw new Problem("process_instance_not_found");
  const variables = engineView(await readVariables(sql, instance.id));
  return { status: 200, body: { jsonText: JSON.stringify(variables) } };
};
