/**
 * Open user tasks, for the people who complete them. See docs/decisions/processes.md.
 *
 * Every member of the tenant sees every open task. src/processes/userTasks.ts says who may claim and complete it. A
 * completed task no longer exists here.
 */
import type { HandlersOf } from "../../handler.ts";
import { assignTask } from "./assignTask.ts";
import { claimTask } from "./claimTask.ts";
import { completeTask } from "./completeTask.ts";
import { downloadTaskFile } from "./downloadTaskFile.ts";
import { getTask } from "./getTask.ts";
import { getTaskForm } from "./getTaskForm.ts";
import { getTaskVariables } from "./getTaskVariables.ts";
import { listTasks } from "./listTasks.ts";
import { unclaimTask } from "./unclaimTask.ts";

export const tasklist = {
  listTasks,
  getTask,
  getTaskVariables,
  getTaskForm,
  claimTask,
  unclaimTask,
  assignTask,
  completeTask,
  downloadTaskFile,
} satisfies HandlersOf<"tasklist">;
