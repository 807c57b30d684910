/**
 * Open user tasks, for the people who complete them. See docs/decisions/processes.md.
 *
 * Every member of the tenant may see and complete a task. A completed task no longer exists here.
 */
import type { HandlersOf } from "../../handler.ts";
import { completeTask } from "./completeTask.ts";
import { downloadTaskFile } from "./downloadTaskFile.ts";
import { getTask } from "./getTask.ts";
import { getTaskVariables } from "./getTaskVariables.ts";
import { listTasks } from "./listTasks.ts";

export const tasklist = {
  listTasks,
  getTask,
  getTaskVariables,
  completeTask,
  downloadTaskFile,
} satisfies HandlersOf<"tasklist">;
