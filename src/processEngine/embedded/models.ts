/** Models by their definition's id, read once a process: a definition never changes. */
import { LRUCache } from "lru-cache";
import type { Queryable } from "../../database/connect.ts";
import { loadModel, type ProcessModel } from "../model/readModel.ts";
import { findBpmn } from "./queries.ts";

export interface Models {
  of(sql: Queryable, definitionId: string): Promise<ProcessModel>;
}

export function createModels(): Models {
  const known = new LRUCache<string, Promise<ProcessModel>>({ max: 500 });
  return {
    of: (sql, definitionId) => {
      const model = known.get(definitionId) ?? findBpmn(sql, definitionId).then(loadModel);
      known.set(definitionId, model);
      model.catch(() => known.delete(definitionId));
      return model;
    },
  };
}
