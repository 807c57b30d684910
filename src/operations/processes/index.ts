/**
 * BPMN models and their instances, for administrators and integrators. See docs/decisions/processes.md.
 *
 * A model is validated completely before it is stored. An instance starts with all of its variables and attachments, or
 * not at all. For callers who may not see an instance, it does not exist.
 */
import type { HandlersOf } from "../../handler.ts";
import { deployProcess } from "./deployProcess.ts";
import { dryRunProcess } from "./dryRunProcess.ts";
import { getProcessDefinition } from "./getProcessDefinition.ts";
import { getProcessInstance } from "./getProcessInstance.ts";
import { getProcessVariables } from "./getProcessVariables.ts";
import { getProcessVersion } from "./getProcessVersion.ts";
import { listProcessDefinitions } from "./listProcessDefinitions.ts";
import { listProcessInstances } from "./listProcessInstances.ts";
import { listProcessVersions } from "./listProcessVersions.ts";
import { setProcessVariables } from "./setProcessVariables.ts";
import { startProcessInstance } from "./startProcessInstance.ts";
import { terminateProcessInstance } from "./terminateProcessInstance.ts";

export const processes = {
  deployProcess,
  dryRunProcess,
  listProcessDefinitions,
  getProcessDefinition,
  listProcessVersions,
  getProcessVersion,
  startProcessInstance,
  listProcessInstances,
  getProcessInstance,
  terminateProcessInstance,
  getProcessVariables,
  setProcessVariables,
} satisfies HandlersOf<"processes">;
