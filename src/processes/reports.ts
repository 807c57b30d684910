/** Reads of `trx_<process_key>`, the transaction table of a process in its tenant's schema (design 10). */

import { type BoundedRows, boundedList, jsonOf } from "../infrastructure/database/boundedList.ts";
import type { Sql } from "../infrastructure/database/connect.ts";
import { runShape } from "../infrastructure/database/prepared.ts";
import { utcText } from "../infrastructure/database/timestamps.ts";
import { transactionTable } from "../tenants/transactionTable.ts";

export async function isDeployed(sql: Sql, tenantId: number, processKey: string): Promise<boolean> {
  const rows = await sql`
    select from waybill.process_definitions
    where tenant_id = ${tenantId} and process_key = ${processKey} limit 1`;
  return rows.length > 0;
}

/** Newest first, written as JSON by the database, so that no digit is lost. Throws `answer_too_large`. */
export async function findInstances(
  sql: Sql,
  tenantId: number,
  {
    processKey,
    offset,
    limit,
  }: { readonly processKey: string; readonly offset: number; readonly limit: number },
): Promise<{ readonly total: number; readonly instances: { readonly jsonText: string } }> {
  const table = transactionTable(tenantId, processKey);
  const { before, after } = boundedList(`, (select count(*)::float8 from ${table}) as total`);
  const text = `${before}
      select process_instance_id, version, state, started_by, ${utcText("started_at")} as started_at,
             ${utcText("ended_at")} as ended_at, variables
      from ${table} t order by t.started_at desc, process_instance_id limit $1::bigint offset $2::bigint ${after}`;
  const [row] = await runShape<BoundedRows & { total: number }>(sql, text, [String(limit), String(offset)]);
  return { total: row?.total ?? 0, instances: jsonOf(row) };
}
