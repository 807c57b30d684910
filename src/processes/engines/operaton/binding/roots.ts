/** The roots of instances: a call activity starts an instance of its own, which has no business key and no files. */
import { LRUCache } from "lru-cache";
import Type from "typebox";
import type { Tenant } from "../../../../tenants/tenant.ts";
import { shapeOf, text, textOrNull } from "../answerShape.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { isEngineId } from "../rest.ts";

/** A root never changes. */
const knownRoots = { create: () => new LRUCache<string, string>({ max: 20_000 }) };

/** Instances asked for in one call. */
const batch = 200;

/**
 * The root of each instance, running or ended. An instance that the tenant does not have at the engine is its own root.
 * Throws `EngineError` and `EngineUnreachable`.
 */
export async function findRoots(
  context: OperatonContext,
  tenant: Tenant,
  processInstanceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const roots = new Map(processInstanceIds.map((id) => [id, id]));
  const known = context.caches.of(knownRoots);
  const unknown: string[] = [];
  for (const id of roots.keys()) {
    const root = known.get(keyOf(tenant, id));
    if (root !== undefined) roots.set(id, root);
    else if (isEngineId(id)) unknown.push(id);
  }
  for (let at = 0; at < unknown.length; at += batch)
    for (const { id, rootProcessInstanceId } of await ask(context, tenant, unknown.slice(at, at + batch))) {
      if (!roots.has(id) || rootProcessInstanceId === null) continue;
      roots.set(id, rootProcessInstanceId);
      known.set(keyOf(tenant, id), rootProcessInstanceId);
    }
  return roots;
}

const keyOf = ({ id }: Tenant, processInstanceId: string) => `${id} ${processInstanceId}`;

const HistoricInstance = Type.Object({
  id: text,
  tenantId: textOrNull,
  /** Null if the history was written by a version before 7.10. */
  rootProcessInstanceId: textOrNull,
});
type HistoricInstance = Type.Static<typeof HistoricInstance>;
const instancesShape = shapeOf(Type.Array(HistoricInstance));

async function ask(
  { rest }: OperatonContext,
  { slug }: Tenant,
  processInstanceIds: readonly string[],
): Promise<readonly HistoricInstance[]> {
  const query = { maxResults: batch };
  const body = { processInstanceIds, tenantIdIn: [slug] };
  const call = { method: "POST", path: "/history/process-instance", query, body } as const;
  const instances = await rest.call(call, instancesShape);
  return instances.filter(({ tenantId }) => tenantId === slug);
}
