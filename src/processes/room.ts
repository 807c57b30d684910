import type { HandlersOf } from "../handler.ts";
import { deployProcess } from "./deployProcess.ts";
import { startProcessInstance } from "./startProcessInstance.ts";
import { terminateProcessInstance } from "./terminateProcessInstance.ts";

export const processes = {
  deployProcess,
  startProcessInstance,
  terminateProcessInstance,
} satisfies HandlersOf<"processes">;
