/** Reads of `waybill.incidents`. */

import type { Incident } from "../generated/schemas.ts";
import { type JsonList, listAsJson } from "../infrastructure/database/boundedList.ts";
import type { Sql } from "../infrastructure/database/connect.ts";
import { utc } from "../infrastructure/database/timestamps.ts";

export interface Wanted {
  readonly tenantId: number;
  /** Null for those of every instance. */
  readonly processInstanceId: string | null;
  readonly resolved: boolean;
}

/** Newest first. */
export async function findIncidents(
  sql: Sql,
  { tenantId, processInstanceId, resolved }: Wanted,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<JsonList<Incident>> {
  return listAsJson<Incident>(
    sql,
    sql`
    select id::text as incident_id, process_instance_id::text, process_key, activity_id, type, message, request_sent,
           attempt, ${utc(sql, "created_at")} as created_at, ${utc(sql, "resolved_at")} as resolved_at
    from waybill.incidents
    where tenant_id = ${tenantId} and (resolved_at is not null) = ${resolved}
      and (${processInstanceId}::uuid is null or process_instance_id = ${processInstanceId}::uuid)
    order by waybill.incidents.created_at desc, id limit ${limit} offset ${offset}`,
  );
}
