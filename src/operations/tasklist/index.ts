/**
 * Open user tasks, for the people who complete them (design 10).
 *
 * What holds here: tasks are open to every member of the tenant; a completed one is gone, and to another tenant none
 * exists.
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
