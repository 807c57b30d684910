/** The latest version of a process, with the form that starts it: asked by processes and by form sessions. */

import { LRUCache } from "lru-cache";
import type { ProcessDefinition } from "../../generated/schemas.ts";
import type { CacheDescription } from "../../infrastructure/caches.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { readModel } from "../engines/embedded/models.ts";

type FormSchema = Record<string, unknown>;

export interface LatestDefinition extends ProcessDefinition {
  readonly id: string;
  /** A form-js schema; null where the process starts without one. */
  readonly start_form: FormSchema | null;
}

interface Row extends ProcessDefinition {
  readonly id: string;
}

type Within = Pick<Infrastructure, "sql" | "workers" | "caches">;

/** Undefined where the tenant has no such process. */
export async function findLatestDefinition(
  within: Within,
  tenantId: number,
  processKey: string,
): Promise<LatestDefinition | undefined> {
  const { sql } = within;
  const [row] = await sql<Row[]>`
    select id::text, process_key, version, name, deployed_by, ${utc(sql, "deployed_at")} as deployed_at
    from waybill.process_definitions
    where tenant_id = ${tenantId} and process_key = ${processKey} order by version desc limit 1`;
  return row && { ...row, start_form: await startFormOf(within, row.id) };
}

interface Remembered {
  readonly form: FormSchema | null;
  /** Characters of its text. */
  readonly size: number;
}

/** A definition never changes, and its model takes time to read: visitors ask for its form again and again. */
const startForms: CacheDescription<LRUCache<string, Remembered>> = {
  create: () =>
    new LRUCache({ max: 10_000, maxSize: 32 * 1024 ** 2, sizeCalculation: ({ size }) => size + 1 }),
};

async function startFormOf(within: Within, id: string): Promise<FormSchema | null> {
  const known = within.caches.of(startForms);
  const remembered = known.get(id) ?? (await readStartForm(within, id));
  known.set(id, remembered);
  return remembered.form;
}

async function readStartForm({ sql, workers }: Within, id: string): Promise<Remembered> {
  const { startFormRef } = await readModel(sql, id, workers);
  if (startFormRef === undefined) return { form: null, size: 0 };
  const [row] = await sql<{ form: string | null }[]>`
    select (forms -> ${startFormRef}::text)::text as form from waybill.process_definitions where id = ${id}`;
  const text = row?.form ?? "null";
  return { form: JSON.parse(text) as FormSchema | null, size: text.length };
}
