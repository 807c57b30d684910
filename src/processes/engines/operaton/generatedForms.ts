/** The forms of models that define their fields themselves. The engine would show them as HTML. */
import { LRUCache } from "lru-cache";
import { workIn } from "../../../infrastructure/workers/workers.ts";
import type { GeneratedForms } from "../../bpmn/readModel.ts";
import { bpmnOf, type EngineDefinition } from "./models.ts";
import type { OperatonContext } from "./operatonContext.ts";

const readInThread = workIn<typeof import("../../bpmn/readModel.ts")>()(
  new URL("../../bpmn/readModel.ts", import.meta.url),
  "readGeneratedForms",
  10_000,
);

interface Kept {
  readonly forms: GeneratedForms;
  /** Characters of the forms. */
  readonly size: number;
}

const known = {
  create: () =>
    new LRUCache<string, Kept>({
      max: 10_000,
      maxSize: 32 * 1024 ** 2,
      sizeCalculation: ({ size }) => size + 1,
    }),
};

const none: GeneratedForms = { starts: new Map(), elements: new Map() };

/** A version never changes, so its model is read once. The caller has compared its tenant. */
export async function generatedFormsOf(
  context: OperatonContext,
  { id, tenantId }: EngineDefinition,
): Promise<GeneratedForms> {
  const cache = context.caches.of(known);
  const kept = cache.get(id) ?? (await read(context, id, tenantId ?? ""));
  cache.set(id, kept);
  return kept.forms;
}

/** Most models have no such forms, and are not parsed. */
async function read(context: OperatonContext, definitionId: string, group: string): Promise<Kept> {
  const bpmn = await bpmnOf(context, definitionId);
  if (!bpmn.includes("formData")) return { forms: none, size: 0 };
  const forms = await context.workers.run(readInThread, bpmn, group);
  return { forms, size: JSON.stringify([...forms.elements.values()]).length };
}
