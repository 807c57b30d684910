/** The latest version of a process, with the form that starts it: asked by processes and by form sessions. */
import type { Sql } from "../database/connect.ts";
import type { ProcessDefinition } from "../generated/schemas.ts";
import { loadModel } from "../processEngine/model/readModel.ts";

type FormSchema = Record<string, unknown>;

export interface LatestDefinition extends ProcessDefinition {
  readonly bpmn: string;
  /** A form-js schema; null where the process starts without one. */
  readonly start_form: FormSchema | null;
}

/** Undefined where the tenant has no such process. */
export async function findLatestDefinition(
  sql: Sql,
  tenantId: number,
  processKey: string,
): Promise<LatestDefinition | undefined> {
  const [row] = await sql<(ProcessDefinition & { bpmn: string; forms: Record<string, FormSchema> })[]>`
    select process_key, version, name, deployed_by, bpmn, forms,
           to_char(deployed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as deployed_at
    from waybill.process_definitions
    where tenant_id = ${tenantId} and process_key = ${processKey} order by version desc limit 1`;
  if (!row) return undefined;
  const { forms, ...definition } = row;
  const { startFormRef = "" } = await loadModel(row.bpmn);
  return { ...definition, start_form: forms[startFormRef] ?? null };
}
