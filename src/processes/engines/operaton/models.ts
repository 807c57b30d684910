/** Versions of processes at the engine. They never change, so this process remembers them. */
import { LRUCache } from "lru-cache";
import Type from "typebox";
import { shapeOf, text, textOrNull } from "./answerShape.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { at } from "./rest.ts";

/** A version as the engine shows it. */
export const EngineDefinition = Type.Object({
  id: text,
  key: text,
  version: Type.Integer(),
  name: textOrNull,
  deploymentId: text,
  /** The slug of its tenant. Null for one that all tenants share. */
  tenantId: textOrNull,
});
export type EngineDefinition = Readonly<Type.Static<typeof EngineDefinition>>;
const definitionShape = shapeOf(EngineDefinition);
const modelShape = shapeOf(Type.Object({ bpmn20Xml: text }));

const definitions = { create: () => new LRUCache<string, EngineDefinition>({ max: 10_000 }) };

/** Bytes of a model as JSON. Waybill takes models of 2 MiB; other clients may deploy larger ones. */
const largestModel = 16 * 1024 ** 2;

const models = {
  create: () =>
    new LRUCache<string, string>({
      max: 1_000,
      maxSize: 32 * 1024 ** 2,
      sizeCalculation: ({ length }) => length + 1,
    }),
};

/** A version by its id. Throws `EngineError` with status 404 if there is none. Compare its tenant. */
export async function definitionById(
  { rest, caches }: OperatonContext,
  id: string,
): Promise<EngineDefinition> {
  const known = caches.of(definitions).get(id);
  if (known) return known;
  const definition = await rest.call({ path: at`/process-definition/${id}` }, definitionShape);
  caches.of(definitions).set(id, definition);
  return definition;
}

/** The BPMN text of a version. The caller has compared its tenant. */
export async function bpmnOf({ rest, caches }: OperatonContext, definitionId: string): Promise<string> {
  const known = caches.of(models).get(definitionId);
  if (known !== undefined) return known;
  const { bpmn20Xml } = await rest.call(
    { path: at`/process-definition/${definitionId}/xml`, maxBytes: largestModel },
    modelShape,
  );
  caches.of(models).set(definitionId, bpmn20Xml);
  return bpmn20Xml;
}
