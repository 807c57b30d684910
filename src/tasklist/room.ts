import type { HandlersOf } from "../handler.ts";
import { completeTask } from "./completeTask.ts";

export const tasklist = {
  completeTask,
} satisfies HandlersOf<"tasklist">;
