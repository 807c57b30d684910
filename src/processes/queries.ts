/** Reads of `waybill.process_definitions`: the latest version of each process. */

import type { Sql } from "../database/connect.ts";
import { utc } from "../database/timestamps.ts";
import type { ProcessDefinition } from "../generated/schemas.ts";

/** By process key, as a program compares them. */
export async function findDefinitions(sql: Sql, tenantId: number): Promise<ProcessDefinition[]> {
  const rows = await sql<ProcessDefinition[]>`
    select distinct on (process_key collate "C") process_key, version, name, deployed_by,
      ${utc(sql, "deployed_at")} as deployed_at
    from waybill.process_definitions
    where tenant_id = ${tenantId} order by process_key collate "C", version desc`;
  return [...rows];
}
