/** The forms that start processes, by their definition's id. Visitors ask for them again and again. */
import { LRUCache } from "lru-cache";
import type { Sql } from "../../../infrastructure/database/connect.ts";
import type { Workers } from "../../../infrastructure/workers/workers.ts";
import type { FormSchema } from "../../engine.ts";
import { findFormText } from "./definitionQueries.ts";
import { readModel } from "./models.ts";

export interface StartForms {
  /** Null if the process starts without a form. */
  of(sql: Sql, definitionId: string): Promise<FormSchema | null>;
}

interface StartForm {
  readonly schema: FormSchema | null;
  /** Characters of its text. */
  readonly size: number;
}

/** Remembers what it has read: a definition never changes, and its model is slow to read. */
export function createStartForms(workers: Workers): StartForms {
  const forms = new LRUCache<string, StartForm>({
    max: 10_000,
    maxSize: 32 * 1024 ** 2,
    sizeCalculation: ({ size }) => size + 1,
  });
  return {
    of: async (sql, definitionId) => {
      const form = forms.get(definitionId) ?? (await readStartForm(sql, definitionId, workers));
      forms.set(definitionId, form);
      return form.schema;
    },
  };
}

async function readStartForm(sql: Sql, definitionId: string, workers: Workers): Promise<StartForm> {
  const { startFormRef } = await readModel(sql, definitionId, workers);
  if (startFormRef === undefined) return { schema: null, size: 0 };
  const text = (await findFormText(sql, definitionId, startFormRef)) ?? "null";
  return { schema: JSON.parse(text) as FormSchema | null, size: text.length };
}
