/**
 * Brings the schema of every tenant to the state that the migrations describe (0018_tenant_records.sql).
 *
 * Each tenant has a transaction of its own: a transaction that makes tables for thousands of tenants needs more locks
 * than PostgreSQL has. A tenant whose last transaction failed is done at the next start.
 */
import type { Queryable } from "./connect.ts";
import type { DatabaseLog } from "./embedded.ts";

/** From so many records on, copying takes long enough for a line in the log. */
const largeTrail = 10_000;

/** Runs a transaction, again if it does not get its locks. The name is for the log. */
export type InTries = (name: string, work: (tx: Queryable) => Promise<void>) => Promise<void>;

/** Does nothing on a database whose migrations have no tenants. */
export async function upgradeTenants(sql: Queryable, log: DatabaseLog, inTries: InTries): Promise<void> {
  const [made] = await sql`select to_regproc('waybill.create_tenant_records') is not null as exists`;
  if (!made?.exists) return;
  const missing = await sql<{ id: string }[]>`select id from waybill.tenants_without_records() as id`;
  for (const { id } of missing)
    await inTries(`records of tenant ${id}`, async (tx) => {
      await tx`select waybill.create_tenant_records(${id})`;
    });
  const moves = await sql<
    { id: string }[]
  >`select tenant_id as id from waybill.audit_moves order by tenant_id`;
  for (const { id } of moves)
    await inTries(`audit trail of tenant ${id}`, async (tx) => {
      const [row] = await tx<{ moved: string }[]>`select waybill.move_audit_records(${id}) as moved`;
      const records = Number(row?.moved);
      if (records >= largeTrail) log.info({ tenant_id: id, records }, "Audit trail copied");
    });
}
