/** One open user task. */
import type { Task } from "../generated/schemas.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ProcessEngine } from "./engine.ts";

/** An open task of the tenant. Throws `task_not_found`. */
export async function openTask(engine: ProcessEngine, tenant: Tenant, id: string): Promise<Task> {
  const task = await engine.findTask(tenant, id);
  if (!task) throw new Problem("task_not_found");
  return task;
}
