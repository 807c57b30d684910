/** Reads of `waybill.process_definitions`: the latest version of each process. */

import type { ProcessDefinition } from "../../generated/schemas.ts";
import { type JsonList, listAsJson } from "../../infrastructure/database/boundedList.ts";
import type { Sql } from "../../infrastructure/database/connect.ts";
import { utc } from "../../infrastructure/database/timestamps.ts";

/** By process key, as a program compares them. */
export async function findDefinitions(sql: Sql, tenantId: number): Promise<JsonList<ProcessDefinition>> {
  return listAsJson<ProcessDefinition>(
    sql,
    sql`
    select distinct on (process_key collate "C") process_key, version, name, deployed_by,
      ${utc(sql, "deployed_at")} as deployed_at
    from waybill.process_definitions
    where tenant_id = ${tenantId} order by process_key collate "C", version desc`,
  );
}
