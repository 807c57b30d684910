import type { Handler } from "../../handler.ts";
import { pointerToken } from "../../infrastructure/json.ts";
import { Problem } from "../../infrastructure/problem.ts";
import type { Instance } from "../../processes/engine.ts";
import { namesOf } from "../../processes/formVariables.ts";
import { parseVariables } from "../../processes/variables/parse.ts";
import type { StoredVariable } from "../../processes/variables/variable.ts";

/**
 * Tenant and process come from the form token. A session starts one process: every repeated request gets the same
 * answer, even if the process has a new form by then.
 */
export const startPublicProcess: Handler<"startPublicProcess"> = async (
  { body, faults, caller },
  { engine, log },
) => {
  const { tenant, processKey, id: formSession } = caller;
  const variables = parseVariables(body, { faults, log });
  const started = await engine.findStarted(tenant, formSession);
  if (started) return answerOf(started);
  const definition = await engine.findDefinition(tenant, processKey);
  if (!definition) throw new Problem("process_not_found");
  refuseUnknown(variables, definition.start_form);
  return answerOf(await engine.start({ tenant, processKey, variables, by: { formSession } }));
};

const answerOf = ({ processInstanceId, processKey, state }: Instance) => ({
  status: 201 as const,
  body: { process_instance_id: processInstanceId, process_key: processKey, state },
});

/**
 * Rejects variables that the form does not define, because the process might base decisions on them. Also rejects files
 * inside of variables: only an uploaded file is inspected.
 */
function refuseUnknown(variables: ReadonlyMap<string, StoredVariable>, form: object | null): void {
  const isOfForm = namesOf(form);
  const errors = [...variables].flatMap(([name, { type }]) => {
    const pointer = `/variables/${pointerToken(name)}`;
    if (!isOfForm(name)) return [{ pointer, detail: "The form that starts the process has no such field." }];
    const detail = "Upload the file first, and send its metadata as the variable.";
    return type === "File" ? [{ pointer: `${pointer}/type`, detail }] : [];
  });
  if (errors.length > 0) throw new Problem("invalid_variable", { errors });
}
