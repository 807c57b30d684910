/** `camunda:initiator` of a start event: the variable that says who started the process. */
import { faultOfName } from "./parse.ts";
import type { StoredVariable } from "./variable.ts";

type Variables = ReadonlyMap<string, StoredVariable>;

/**
 * The variables of a start with that of the initiator: the starter's subject, or null for a visitor. As in Operaton, a
 * start that sets the variable itself keeps its value. A name that no variable can have is ignored: the model was
 * deployed without Waybill, or by an earlier version.
 */
export function withInitiator(
  variables: Variables,
  { initiator, startedBy }: { readonly initiator: string | undefined; readonly startedBy: string | null },
): Variables {
  if (initiator === undefined || variables.has(initiator) || faultOfName(initiator)) return variables;
  const variable: StoredVariable =
    startedBy === null
      ? { type: "Null", value: "null" }
      : { type: "String", value: JSON.stringify(startedBy) };
  return new Map([...variables, [initiator, variable]]);
}
