/**
 * BPMN models and their instances, for administrators and integrators (design 9).
 *
 * What holds here: a model is judged whole before it is stored; an instance starts with all of its variables and
 * attachments or not at all; to those who may not look at an instance it does not exist.
 */
import type { HandlersOf } from "../../handler.ts";
import { deployProcess } from "./deployProcess.ts";
import { getProcessDefinition } from "./getProcessDefinition.ts";
import { getProcessInstance } from "./getProcessInstance.ts";
import { getProcessVariables } from "./getProcessVariables.ts";
import { listProcessDefinitions } from "./listProcessDefinitions.ts";
import { setProcessVariables } from "./setProcessVariables.ts";
import { startProcessInstance } from "./startProcessInstance.ts";
import { terminateProcessInstance } from "./terminateProcessInstance.ts";

export const processes = {
  deployProcess,
  listProcessDefinitions,
  getProcessDefinition,
  startProcessInstance,
  getProcessInstance,
  terminateProcessInstance,
  getProcessVariables,
  setProcessVariables,
} satisfies HandlersOf<"processes">;
