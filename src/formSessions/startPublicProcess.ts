import type { Handler } from "../handler.ts";
import { pointerToken } from "../json.ts";
import { Problem } from "../problem.ts";
import type { StoredVariable } from "../processEngine.ts";
import { parseVariables } from "../variables/parse.ts";

/** Tenant and process come from the form token; the session starts one process, however often it asks. */
export const startPublicProcess: Handler<"startPublicProcess"> = async (
  { body, caller },
  { engine, log },
) => {
  const { tenant, processKey, id: formSession } = caller;
  const variables = parseVariables(body.variables, log);
  refuseFiles(variables);
  const instance = await engine.start({ tenant, processKey, variables, by: { formSession } });
  const { processInstanceId, state } = instance;
  return {
    status: 201,
    body: { process_instance_id: processInstanceId, process_key: instance.processKey, state },
  };
};

/** A visitor's file is uploaded, and so looked into: one within a variable would come in unseen. */
function refuseFiles(variables: ReadonlyMap<string, StoredVariable>): void {
  const errors = [...variables]
    .filter(([, { type }]) => type === "File")
    .map(([name]) => ({
      pointer: `/variables/${pointerToken(name)}/type`,
      detail: "A visitor's file is uploaded, and its metadata is the variable.",
    }));
  if (errors.length > 0) throw new Problem("invalid_variable", { errors });
}
