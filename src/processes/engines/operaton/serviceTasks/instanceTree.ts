/** Which instance called which, from the engine's history. It never changes, so this process remembers it. */
import { LRUCache } from "lru-cache";
import Type from "typebox";
import { shapeOf, text, textOrNull } from "../answerShape.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { at, isEngineId } from "../rest.ts";
import { EngineError } from "../restErrors.ts";

/** An instance as the history shows it. */
const HistoricInstance = Type.Object({
  id: text,
  tenantId: textOrNull,
  /** The instance that called it. */
  superProcessInstanceId: textOrNull,
});
export type HistoricInstance = Readonly<Type.Static<typeof HistoricInstance>>;
const instanceShape = shapeOf(HistoricInstance);

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
    return await rest.call({ path: at`/history/process-instance/${id}` }, instanceShape);
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined;
    throw error;
  }
}

/** The call activity that called an instance. */
const Caller = {
  processInstanceId: text,
  processDefinitionId: text,
  processDefinitionKey: text,
  activityId: text,
};
export type Caller = Readonly<Type.Static<Type.TObject<typeof Caller>>>;
const callsShape = shapeOf(Type.Array(Type.Object({ ...Caller, calledProcessInstanceId: textOrNull })));

/** Undefined if no other instance called it. */
export async function callerOf(
  context: OperatonContext,
  slug: string,
  id: string,
): Promise<Caller | undefined> {
  const parent = (await historicInstance(context, slug, id))?.superProcessInstanceId;
  if (!parent) return undefined;
  const query = {
    processInstanceId: parent,
    activityType: "callActivity",
    unfinished: true,
    tenantIdIn: slug,
  };
  const calls = await context.rest.call({ path: "/history/activity-instance", query }, callsShape);
  return calls.find(({ calledProcessInstanceId }) => calledProcessInstanceId === id);
}
