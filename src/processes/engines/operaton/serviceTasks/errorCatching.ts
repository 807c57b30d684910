/**
 * Whether something catches a BPMN error of a service task. The engine ends an instance without a word if nothing does,
 * so Waybill reads the models: of the instance, and of those that called it.
 */
import { LRUCache } from "lru-cache";
import { Problem } from "../../../../infrastructure/problem.ts";
import { workIn } from "../../../../infrastructure/workers/workers.ts";
import { bpmnOf } from "../models.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { answerTooLarge, EngineError, EngineUnreachable } from "../restErrors.ts";
import { type Catches, catches, readCatches } from "./catchesWork.ts";
import { callerOf } from "./instanceTree.ts";

/** Characters. The main thread reads a model of this size in about 20 ms. */
const largestHere = 32 * 1024;
const readInThread = workIn<typeof import("./catchesWork.ts")>()(
  new URL("./catchesWork.ts", import.meta.url),
  "readCatches",
  10_000,
);

const known = { create: () => new LRUCache<string, Promise<Catches>>({ max: 1_000 }) };

interface ThrowingActivity {
  readonly slug: string;
  readonly tenantId: number;
  readonly processInstanceId: string;
  readonly definitionId: string;
  readonly processKey: string;
  readonly activityId: string;
}

/** Calls of processes within each other. The engine itself has no limit. */
const deepestCall = 50;

/** False, too, for a model that can never be read: then a person sees the refusal. */
export async function isErrorCaught(
  context: OperatonContext,
  activity: ThrowingActivity,
  code: string,
): Promise<boolean> {
  try {
    return await findCatching(context, activity, code);
  } catch (err) {
    if (mayPass(err)) throw err;
    const { tenantId: tenant_id, definitionId: definition_id } = activity;
    context.log.warn({ tenant_id, definition_id, err }, "Model cannot be read: nothing in it catches errors");
    return false;
  }
}

/** Not a definition that was deleted, an answer that is too large, or a model that takes too long to read. */
function mayPass(error: unknown): boolean {
  if (error instanceof EngineError) return error.status !== 404 && error.type !== answerTooLarge;
  return error instanceof EngineUnreachable || error instanceof Problem;
}

async function findCatching(
  context: OperatonContext,
  activity: ThrowingActivity,
  code: string,
): Promise<boolean> {
  const { slug, tenantId } = activity;
  let { processInstanceId, definitionId, processKey, activityId } = activity;
  for (let depth = 0; depth < deepestCall; depth++) {
    const model = await catchesOf(context, { definitionId, processKey }, tenantId);
    if (catches(model, activityId, code)) return true;
    const caller = await callerOf(context, slug, processInstanceId);
    if (!caller) return false;
    ({ processInstanceId, activityId } = caller);
    ({ processDefinitionId: definitionId, processDefinitionKey: processKey } = caller);
  }
  return false;
}

interface Version {
  readonly definitionId: string;
  readonly processKey: string;
}

function catchesOf(context: OperatonContext, version: Version, tenantId: number): Promise<Catches> {
  const cache = context.caches.of(known);
  const { definitionId } = version;
  const asked = cache.get(definitionId) ?? read(context, version, tenantId);
  cache.set(definitionId, asked);
  asked.catch(() => cache.delete(definitionId));
  return asked;
}

async function read(
  context: OperatonContext,
  { definitionId, processKey }: Version,
  tenantId: number,
): Promise<Catches> {
  const bpmn = await bpmnOf(context, definitionId);
  if (bpmn.length <= largestHere) return readCatches({ bpmn, processKey });
  return context.workers.run(readInThread, { bpmn, processKey }, String(tenantId));
}
