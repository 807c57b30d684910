/** Which instance called which, from the engine's history. It never changes, so this process remembers it. */
import { LRUCache } from "lru-cache";
import type { OperatonContext } from "../operatonContext.ts";
import { at, isEngineId } from "../rest.ts";
import { EngineError } from "../restErrors.ts";

/** An instance as the history shows it. */
export interface HistoricInstance {
  readonly id: string;
  readonly tenantId: string | null;
  readonly rootProcessInstanceId: string;
  /** The instance that called it. */
  readonly superProcessInstanceId: string | null;
  readonly processDefinitionId: string;
}

const instances = { create: () => new LRUCache<string, HistoricInstance>({ max: 10_000 }) };

/** Undefined if the tenant has no such instance. */
export async function historicInstance(
  { rest, caches }: OperatonContext,
  slug: string,
  id: string,
): Promise<HistoricInstance | undefined> {
  if (!isEngineId(id)) return undefined;
  const cache = caches.of(instances);
  const instance = cache.get(id) ?? (await read(rest, id));
  if (instance) cache.set(id, instance);
  return instance?.tenantId === slug ? instance : undefined;
}

async function read(rest: OperatonContext["rest"], id: string): Promise<HistoricInstance | undefined> {
  try {
    return await rest.call<HistoricInstance>({ path: at`/history/process-instance/${id}` });
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined;
    throw error;
  }
}

/** The call activity that called an instance. */
export interface Caller {
  readonly processInstanceId: string;
  readonly processDefinitionId: string;
  readonly processDefinitionKey: string;
  readonly activityId: string;
}

/** Undefined if no other instance called it. */
export async function callerOf(
  context: OperatonContext,
  slug: string,
  id: string,
): Promise<Caller | undefined> {
  const parent = (await historicInstance(context, slug, id))?.superProcessInstanceId;
  if (!parent) return undefined;
  const calls = await context.rest.call<(Caller & { readonly calledProcessInstanceId: string | null })[]>({
    path: "/history/activity-instance",
    query: { processInstanceId: parent, activityType: "callActivity", unfinished: true, tenantIdIn: slug },
  });
  return calls.find(({ calledProcessInstanceId }) => calledProcessInstanceId === id);
}
