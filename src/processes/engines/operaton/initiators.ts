/** The variables of `camunda:initiator`. The engine would write Waybill's own account into them. */
import { LRUCache } from "lru-cache";
import { workIn } from "../../../infrastructure/workers/workers.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import { readInitiators } from "../../bpmn/modelOutline.ts";
import { bpmnOf, type EngineDefinition } from "./models.ts";
import type { OperatonContext } from "./operatonContext.ts";

/** Characters. The main thread reads a model of this size in about 20 ms. */
const largestHere = 32 * 1024;
const readInThread = workIn<typeof import("../../bpmn/modelOutline.ts")>()(
  new URL("../../bpmn/modelOutline.ts", import.meta.url),
  "readInitiators",
  10_000,
);

const known = { create: () => new LRUCache<string, Promise<string | undefined>>({ max: 10_000 }) };

/** Undefined if the start event names no variable. The definition belongs to the tenant. */
export async function initiatorOf(
  context: OperatonContext,
  tenant: Tenant,
  definition: EngineDefinition,
): Promise<string | undefined> {
  const cache = context.caches.of(known);
  const asked = cache.get(definition.id) ?? read(context, tenant, definition);
  cache.set(definition.id, asked);
  asked.catch(() => cache.delete(definition.id));
  return asked;
}

/** Most models name none, and are not parsed. */
async function read(
  context: OperatonContext,
  tenant: Tenant,
  { id, key }: EngineDefinition,
): Promise<string | undefined> {
  const bpmn = await bpmnOf(context, id);
  if (!bpmn.includes("initiator")) return undefined;
  const initiators =
    bpmn.length <= largestHere
      ? readInitiators(bpmn)
      : await context.workers.run(readInThread, bpmn, String(tenant.id));
  return initiators.get(key);
}
