/**
 * The transaction table of a process, `trx_<process_key>` in its tenant's schema: one row for each instance, for
 * reports. It is a system table, which the table builder does not list. See docs/decisions/processes.md.
 */
import { type BoundedRows, boundedList, jsonOf } from "../../../infrastructure/database/boundedList.ts";
import type { Fragment, Queryable, Sql, Tx } from "../../../infrastructure/database/connect.ts";
import { runShape } from "../../../infrastructure/database/prepared.ts";
import { utcText } from "../../../infrastructure/database/timestamps.ts";
import { schemaOf } from "../../../tenants/tenant.ts";
import { transactionTable, transactionTableName } from "../../../tenants/transactionTable.ts";
import type { ReportPage, ReportQuery } from "../../engine.ts";
import { isDeployed } from "./definitionQueries.ts";
import type { InstanceRow } from "./instanceQueries.ts";

/** Fails with duplicate_table if the schema has a relation of this name. */
export async function createTransactionTable(tx: Tx, tenantId: number, processKey: string): Promise<void> {
  const table = transactionTable(tenantId, processKey);
  await tx.unsafe(`
    create table ${table} (
      process_instance_id uuid primary key,
      version integer not null,
      state text not null,
      started_by text,
      started_at timestamptz not null default now(),
      ended_at timestamptz,
      variables json not null
    )`);
  await tx.unsafe(`create index on ${table} (started_at desc, process_instance_id)`);
}

export interface ReportRow {
  readonly state: "active" | "completed";
  /** JSON text. */
  readonly variables: string;
}

/** An expression that adds or updates the instance's row. */
export function recordReport(
  sql: Queryable,
  { id, tenantId, processKey, version, startedBy }: InstanceRow,
  { state, variables }: ReportRow,
): Fragment {
  return sql`
    waybill.record_transaction(
      ${schemaOf(tenantId)}, ${transactionTableName(processKey)}, ${id}::text::uuid, ${version}::integer, ${state},
      ${startedBy}::text, ${variables}::text::json
    )`;
}

/** Ends the row of an instance that was terminated. Its variables stay as they were. */
export async function endTransaction(tx: Tx, { id, tenantId, processKey }: InstanceRow): Promise<void> {
  const text = `
    update ${transactionTable(tenantId, processKey)}
       set state = 'terminated', ended_at = now()
     where process_instance_id = $1`;
  await tx.unsafe(text, [id]);
}

/** Looks the process up first, so that only a table that a deployment made is ever named. */
export async function listReportInstances(
  sql: Sql,
  tenantId: number,
  { processKey, offset, limit }: ReportQuery,
): Promise<ReportPage | undefined> {
  if (!(await isDeployed(sql, { tenantId, processKey }))) return undefined;
  const table = transactionTable(tenantId, processKey);
  const { before, after } = boundedList(`, (select count(*)::float8 from ${table}) as total`);
  const text = `
    ${before}
      select process_instance_id, version, state, started_by, ${utcText("started_at")} as started_at,
             ${utcText("ended_at")} as ended_at, variables
      from ${table} t
      order by t.started_at desc, process_instance_id
      limit $1::bigint
      offset $2::bigint
    ${after}`;
  const [row] = await runShape<BoundedRows & { total: number }>(sql, text, [String(limit), String(offset)]);
  return { total: row?.total ?? 0, instances: jsonOf(row) };
}
