/** Who takes part in the discussion of a process instance: asked by the discussions and by downloads. */
import type { Sql } from "../infrastructure/database/connect.ts";

/** One process instance's discussion, in one tenant. */
export interface Discussion {
  readonly tenantId: number;
  readonly processInstanceId: string;
}

export async function isParticipant(sql: Sql, { tenantId, processInstanceId }: Discussion, user: string) {
  const rows = await sql`
    select from waybill.discussion_participants
    where tenant_id = ${tenantId} and process_instance_id = ${processInstanceId} and user_id = ${user}`;
  return rows.length > 0;
}
