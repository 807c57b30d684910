/** Statements on what a form session has started. */
import type { Sql } from "../database/connect.ts";

/** The instance that a form session has started. */
export async function findStartedInstance(sql: Sql, tenantId: number, session: string) {
  const [row] = await sql<{ id: string }[]>`
    select id::text from waybill.process_instances where tenant_id = ${tenantId} and form_session_id = ${session}`;
  return row?.id;
}
