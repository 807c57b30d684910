/** The latest version of a process, with the form that starts it: asked by processes and by form sessions. */

import { LRUCache } from "lru-cache";
import type { Sql } from "../database/connect.ts";
import { utc } from "../database/timestamps.ts";
import type { ProcessDefinition } from "../generated/schemas.ts";
import { findBpmn } from "../processEngine/embedded/queries.ts";
import { loadModel } from "../processEngine/model/readModel.ts";

type FormSchema = Record<string, unknown>;

export interface LatestDefinition extends ProcessDefinition {
  readonly id: string;
  /** A form-js schema; null where the process starts without one. */
  readonly start_form: FormSchema | null;
}

interface Row extends ProcessDefinition {
  readonly id: string;
  readonly forms: Readonly<Record<string, FormSchema>>;
}

/** Undefined where the tenant has no such process. */
export async function findLatestDefinition(
  sql: Sql,
  tenantId: number,
  processKey: string,
): Promise<LatestDefinition | undefined> {
  const [row] = await sql<Row[]>`
    select id::text, process_key, version, name, deployed_by, forms,
           ${utc(sql, "deployed_at")} as deployed_at
    from waybill.process_definitions
    where tenant_id = ${tenantId} and process_key = ${processKey} order by version desc limit 1`;
  if (!row) return undefined;
  const { forms, ...definition } = row;
  return { ...definition, start_form: forms[await startFormRefOf(sql, row.id)] ?? null };
}

/** A definition never changes, and a model takes time to read: visitors ask for its form again and again. */
const startFormRefs = new WeakMap<Sql, LRUCache<string, Promise<string>>>();

function startFormRefOf(sql: Sql, id: string): Promise<string> {
  const known = startFormRefs.get(sql) ?? new LRUCache({ max: 10_000 });
  startFormRefs.set(sql, known);
  const ref = known.get(id) ?? readStartFormRef(sql, id);
  known.set(id, ref);
  ref.catch(() => known.delete(id));
  return ref;
}

async function readStartFormRef(sql: Sql, id: string): Promise<string> {
  const { startFormRef = "" } = await loadModel((await findBpmn(sql, id)).bpmn);
  return startFormRef;
}
