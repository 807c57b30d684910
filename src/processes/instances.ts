/** One process instance, for those who may look at it: asked by processes and by the tasklist. */

import { isParticipant } from "../discussions/participants.ts";
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";
import { isUuid } from "../infrastructure/uuid.ts";
import type { Caller } from "../tenants/caller.ts";

export interface ProcessInstanceRow {
  readonly id: string;
  readonly processKey: string;
  /** An active instance with an open incident is one. */
  readonly state: "active" | "incident" | "completed" | "terminated";
  readonly startedBy: string | null;
}

/** For administrators, engines, whoever started it, and participants of its discussion; undefined for anybody else. */
export async function instanceFor(
  sql: Sql,
  { tenant, subject, roles }: Caller,
  id: string,
): Promise<ProcessInstanceRow | undefined> {
  const instance = isUuid(id) ? await findInstance(sql, tenant.id, id) : undefined;
  if (!instance) return undefined;
  if (instance.startedBy === subject || roles.some((role) => role === "admin_sop" || role === "engine"))
    return instance;
  const discussion = { tenantId: tenant.id, processInstanceId: instance.id };
  return (await isParticipant(sql, discussion, subject)) ? instance : undefined;
}

/** Of the instance `i`: an active one with an open incident is an incident. */
export const shownState = (sql: Queryable) => sql`
  case when i.state = 'active' and exists (
    select from waybill.incidents o where o.process_instance_id = i.id and o.resolved_at is null)
  then 'incident' else i.state end`;

async function findInstance(sql: Sql, tenantId: number, id: string): Promise<ProcessInstanceRow | undefined> {
  const [row] = await sql<ProcessInstanceRow[]>`
    select id::text, process_key as "processKey", started_by as "startedBy", ${shownState(sql)} as state
    from waybill.process_instances i where id = ${id} and tenant_id = ${tenantId}`;
  return row;
}
