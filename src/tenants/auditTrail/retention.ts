/**
 * Removes audit records that are older than `AUDIT_RETENTION_DAYS`: whole ranges of checkpoints, from the oldest on.
 * Their checkpoints stay, so the chain still verifies. The removal is an audit record itself.
 */
import type { Logger } from "pino";
import type { Sql } from "../../infrastructure/database/connect.ts";
import { databaseProblem } from "../../infrastructure/database/databaseProblem.ts";
import { schemaOf } from "../tenant.ts";
import { findPurgeable } from "./queries.ts";

/** Returns how many records it has removed. */
export async function purgeAuditRecords(
  { sql, log }: { readonly sql: Sql; readonly log: Logger },
  days: number,
): Promise<number> {
  let removed = 0;
  const tenants = await sql<{ id: string }[]>`
    select id
    from waybill.tenants`;
  for (const { id } of tenants)
    removed += await purgeTenant(sql, id, days).catch((err) => {
      if (databaseProblem(err)) throw err;
      log.error({ tenant_id: id, err }, "Old audit records not removed");
      return 0;
    });
  if (removed > 0) log.info({ records: removed, days }, "Old audit records removed");
  return removed;
}

async function purgeTenant(sql: Sql, id: string, days: number): Promise<number> {
  let removed = 0;
  while (await findPurgeable(sql, schemaOf(Number(id)), days)) {
    const [row] = await sql<{ records: string }[]>`
      select waybill.purge_audit_records(${id}, ${days}) as records`;
    removed += Number(row?.records);
  }
  return removed;
}
