/**
 * `trx_<process_key>` in the tenant's schema: one row an instance, for reports (design 9 and 10). A system table: the
 * table builder's registry does not list it.
 */

import type { Sql, Tx } from "../../../infrastructure/database/connect.ts";
import { runShape } from "../../../infrastructure/database/prepared.ts";
import { transactionTable } from "../../../tenants/transactionTable.ts";
import type { InstanceRow } from "./queries.ts";

/** Fails with duplicate_table where a relation of this name is there. */
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

/** Brings the instance's row up to date. */
export async function recordTransaction(
  { sql, tx }: { readonly sql: Sql; readonly tx: Tx },
  instance: InstanceRow,
  now: { readonly state: string; readonly variables: string },
): Promise<void> {
  const { id, tenantId, processKey, version, startedBy } = instance;
  const text = `
    insert into ${transactionTable(tenantId, processKey)}
      (process_instance_id, version, state, started_by, variables, ended_at)
    values ($1::text::uuid, $2::text::int, $3, $4, $5::text::json, case when $3 = 'active' then null else now() end)
    on conflict (process_instance_id) do update
    set state = excluded.state, variables = excluded.variables, ended_at = excluded.ended_at`;
  await runShape(sql, text, [id, String(version), now.state, startedBy, now.variables], tx);
}

/** For an instance that was ended from outside: its variables are what they were. */
export async function endTransaction(tx: Tx, { id, tenantId, processKey }: InstanceRow, state: string) {
  await tx.unsafe(
    `update ${transactionTable(tenantId, processKey)} set state = $2, ended_at = now() where process_instance_id = $1`,
    [id, state],
  );
}
