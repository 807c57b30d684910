import type { Task } from "../../generated/schemas.ts";
import type { Sql } from "../../infrastructure/database/connect.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { isUuid } from "../../infrastructure/uuid.ts";
import { findTask } from "./queries.ts";

/** An open task of the tenant. Throws `task_not_found` for any other. */
export async function openTask(sql: Sql, tenantId: number, id: string): Promise<Task> {
  const task = isUuid(id) ? await findTask(sql, tenantId, id) : undefined;
  if (!task) throw new Problem("task_not_found");
  return task;
}
