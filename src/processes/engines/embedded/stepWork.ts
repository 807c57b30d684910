/** Work that the engine does in other threads: reading models and running steps. */
import { LRUCache } from "lru-cache";
import { factsOf, loadModel, type ModelFacts, type ProcessModel } from "../../bpmn/readModel.ts";
import { ProcessFailure } from "./processFailure.ts";
import { StaleEvent } from "./run.ts";
import type { Waiting } from "./stepWatch.ts";
import { type StepDone, type StepGiven, stepOn } from "./storedStep.ts";

export interface ModelText {
  /** A digest of the text. Models of all tenants share one cache. */
  readonly key: string;
  /** Absent if the thread may know the model. */
  readonly bpmn?: string;
}

/** How a step ends. Errors are values here, because a thrown error loses its class between threads. */
export type StepAnswer =
  | { readonly kind: "done"; readonly done: StepDone }
  | {
      readonly kind: "failed";
      readonly message: string;
      readonly timer?: Waiting;
      readonly isFinal?: boolean;
    }
  | { readonly kind: "staleEvent" }
  | { readonly kind: "unknownModel" };

/** The models of this thread, bounded by the size of their texts. */
const known = new LRUCache<string, ProcessModel>({ max: 200, maxSize: 16 * 1024 ** 2 });

export async function readFacts(text: ModelText): Promise<ModelFacts | undefined> {
  const model = await modelOf(text);
  return model && factsOf(model);
}

export async function step({
  model: text,
  given,
}: {
  readonly model: ModelText;
  readonly given: StepGiven;
}): Promise<StepAnswer> {
  const model = await modelOf(text);
  if (!model) return { kind: "unknownModel" };
  try {
    return { kind: "done", done: stepOn(model, given) };
  } catch (error) {
    if (error instanceof StaleEvent) return { kind: "staleEvent" };
    if (!(error instanceof ProcessFailure)) throw error;
    const { message, timer, isFinal = false } = error;
    return { kind: "failed", message, isFinal, ...(timer ? { timer } : {}) };
  }
}

async function modelOf({ key, bpmn }: ModelText): Promise<ProcessModel | undefined> {
  const model = known.get(key) ?? (bpmn === undefined ? undefined : await loadModel(bpmn));
  if (model && bpmn !== undefined) known.set(key, model, { size: bpmn.length + 1 });
  return model;
}
