/** Whether the model gives a user task to somebody. The engine knows only who is named at the moment. */
import { LRUCache } from "lru-cache";
import { workIn } from "../../../infrastructure/workers/workers.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import { bpmnOf } from "./models.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { readOwnedTasks } from "./ownedTasksWork.ts";

/** Characters. The main thread reads a model of this size in about 20 ms. */
const largestHere = 32 * 1024;
const readInThread = workIn<typeof import("./ownedTasksWork.ts")>()(
  new URL("./ownedTasksWork.ts", import.meta.url),
  "readOwnedTasks",
  10_000,
);

const known = { create: () => new LRUCache<string, Promise<ReadonlySet<string>>>({ max: 1_000 }) };

export interface ModelledTask {
  readonly processDefinitionId: string;
  readonly activityId: string;
}

/** The task's definition belongs to the tenant. */
export async function isOwned(
  context: OperatonContext,
  tenant: Tenant,
  { processDefinitionId: id, activityId }: ModelledTask,
): Promise<boolean> {
  const cache = context.caches.of(known);
  const asked = cache.get(id) ?? read(context, tenant, id);
  cache.set(id, asked);
  asked.catch(() => cache.delete(id));
  return (await asked).has(activityId);
}

async function read(context: OperatonContext, tenant: Tenant, definitionId: string) {
  const bpmn = await bpmnOf(context, definitionId);
  if (bpmn.length <= largestHere) return readOwnedTasks({ bpmn });
  return context.workers.run(readInThread, { bpmn }, String(tenant.id));
}
