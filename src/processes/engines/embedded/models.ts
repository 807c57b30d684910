/** Models by their definition's id. A definition never changes, so each server process reads it once. */
import { LRUCache } from "lru-cache";
import type { Queryable } from "../../../infrastructure/database/connect.ts";
import { type Workers, workIn } from "../../../infrastructure/workers/workers.ts";
import { catchesError, loadModel, type ModelFacts, type ProcessModel } from "../../bpmn/readModel.ts";
import { findBpmn } from "./definitionQueries.ts";

export interface Model extends ModelFacts {
  readonly definitionId: string;
  /** A digest of its text, by which other threads find it. */
  readonly key: string;
  /** The model, if it is small enough for the main thread. */
  readonly here: ProcessModel | undefined;
  /** Whether a boundary event of the activity, or of a sub-process around it, catches the BPMN error. */
  catchesError(activityId: string, code: string): boolean;
}

export interface Models {
  of(sql: Queryable, definitionId: string): Promise<Model>;
  /** Undefined if the model has not been read yet. */
  known(definitionId: string): Model | undefined;
}

/** Characters. The main thread reads a model of this size in about 20 ms. */
const largestHere = 32 * 1024;
/** Flow elements. Every step creates each of them again. */
const mostElementsHere = 150;

const readFacts = workIn<typeof import("./stepWork.ts")>()(
  new URL("./stepWork.ts", import.meta.url),
  "readFacts",
  10_000,
);

export function createModels(workers: Workers): Models {
  const reading = new LRUCache<string, Promise<Model>>({ max: 1_000 });
  const known = new LRUCache<string, Model>({ max: 1_000 });
  return {
    known: (definitionId) => known.get(definitionId),
    of: async (sql, definitionId) => {
      const asked = reading.get(definitionId) ?? readModel(sql, definitionId, workers);
      reading.set(definitionId, asked);
      asked.catch(() => reading.delete(definitionId));
      const model = await asked;
      known.set(definitionId, model);
      return model;
    },
  };
}

/** Reads a model without caching it. */
export async function readModel(sql: Queryable, definitionId: string, workers: Workers): Promise<Model> {
  const { bpmn, tenantId } = await findBpmn(sql, definitionId);
  const key = new Bun.CryptoHasher("sha256").update(bpmn).digest("hex");
  const model = bpmn.length <= largestHere ? await loadModel(bpmn) : undefined;
  const facts = model ?? (await workers.run(readFacts, { key, bpmn }, String(tenantId)));
  if (!facts) throw new Error(`the model of definition ${definitionId} was not read`);
  return {
    ...facts,
    definitionId,
    key,
    here: facts.size <= mostElementsHere ? model : undefined,
    catchesError: (activityId, code) => catchesError(facts.serviceTasks.get(activityId), code),
  };
}
