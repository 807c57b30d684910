/** Versions of processes at the engine. They never change, so this process remembers them. */
import { LRUCache } from "lru-cache";
import type { OperatonContext } from "./operatonContext.ts";
import { at } from "./rest.ts";

/** A version as the engine shows it. */
export interface EngineDefinition {
  readonly id: string;
  readonly key: string;
  readonly version: number;
  readonly name: string | null;
  readonly deploymentId: string;
  /** The file of the model in its deployment. */
  readonly resource: string;
  /** The slug of its tenant. Null for one that all tenants share. */
  readonly tenantId: string | null;
}

const definitions = { create: () => new LRUCache<string, EngineDefinition>({ max: 10_000 }) };

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
  const definition = await rest.call<EngineDefinition>({ path: at`/process-definition/${id}` });
  caches.of(definitions).set(id, definition);
  return definition;
}

/** The BPMN text of a version. The caller has compared its tenant. */
export async function bpmnOf({ rest, caches }: OperatonContext, definitionId: string): Promise<string> {
  const known = caches.of(models).get(definitionId);
  if (known !== undefined) return known;
  const { bpmn20Xml } = await rest.call<{ bpmn20Xml: string }>({
    path: at`/process-definition/${definitionId}/xml`,
  });
  caches.of(models).set(definitionId, bpmn20Xml);
  return bpmn20Xml;
}
