/** Reads of `trx_<process_key>`, the transaction table of a process in its tenant's schema (design 10). */
import type { Sql } from "../database/connect.ts";
import { quoteTable } from "../database/identifiers.ts";
import { runShape } from "../database/prepared.ts";
import type { Tenant } from "../tenants/tenant.ts";

export async function isDeployed(sql: Sql, tenantId: number, processKey: string): Promise<boolean> {
  const rows = await sql`
    select from waybill.process_definitions
    where tenant_id = ${tenantId} and process_key = ${processKey} limit 1`;
  return rows.length > 0;
}

const moment = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Newest first, written as JSON by the database, so that no digit is lost. */
export async function findInstances(
  sql: Sql,
  { schema }: Tenant,
  {
    processKey,
    offset,
    limit,
  }: { readonly processKey: string; readonly offset: number; readonly limit: number },
): Promise<{ readonly total: number; readonly json: string }> {
  const table = quoteTable(schema, `trx_${processKey}`);
  const text = `
    select (select count(*)::float8 from ${table}) as total, coalesce(json_agg(r), '[]')::text as json from (
      select process_instance_id, version, state, started_by, ${moment("started_at")} as started_at,
             ${moment("ended_at")} as ended_at, variables
      from ${table} t order by t.started_at desc, process_instance_id limit $1::bigint offset $2::bigint) r`;
  const [row] = await runShape<{ total: number; json: string }>(sql, text, [String(limit), String(offset)]);
  return row ?? { total: 0, json: "[]" };
}
