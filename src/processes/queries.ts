/** Reads of `waybill.process_definitions`: the latest version of each process. */
import type { Queryable, Sql } from "../database/connect.ts";
import type { ProcessDefinition } from "../generated/schemas.ts";

const columns = (sql: Queryable) => sql`
  process_key, version, name, deployed_by,
  to_char(deployed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as deployed_at`;

/** By process key, as a program compares them. */
export async function findDefinitions(sql: Sql, tenantId: number): Promise<ProcessDefinition[]> {
  const rows = await sql<ProcessDefinition[]>`
    select distinct on (process_key collate "C") ${columns(sql)} from waybill.process_definitions
    where tenant_id = ${tenantId} order by process_key collate "C", version desc`;
  return [...rows];
}

export interface StoredDefinition extends ProcessDefinition {
  readonly bpmn: string;
  readonly forms: Readonly<Record<string, Record<string, unknown>>>;
}

export async function findDefinition(
  sql: Sql,
  tenantId: number,
  processKey: string,
): Promise<StoredDefinition | undefined> {
  const [row] = await sql<StoredDefinition[]>`
    select ${columns(sql)}, bpmn, forms from waybill.process_definitions
    where tenant_id = ${tenantId} and process_key = ${processKey} order by version desc limit 1`;
  return row;
}
