/** Statements on `waybill.variable_readings`: how far the engine's variables have been read. */
import type { Queryable, Sql } from "../../../../infrastructure/database/connect.ts";

/** How far a tenant's variables have been read. */
export interface Reading {
  readonly tenantId: number;
  readonly slug: string;
  /** The database's time. */
  readonly now: Date;
  /** When the oldest file was uploaded that an instance can still take. No variable named it before. */
  readonly oldestUpload: Date;
  /** Null before the first reading. */
  readonly seenUntil: Date | null;
  readonly completeUntil: Date | null;
}

/** The tenants with files that an instance can still take, those that were read longest ago first. */
export async function findReadings(sql: Sql): Promise<Reading[]> {
  return sql<Reading[]>`
    with waiting as (
      select tenant_id, min(uploaded_at) as oldest
      from waybill.attachments
      where state = 'draft'
         or (state = 'committed' and process_instance_id is null)
      group by tenant_id
    )
    select t.id::float8 as "tenantId", t.slug, now() as now, w.oldest as "oldestUpload",
           r.seen_until as "seenUntil", r.complete_until as "completeUntil"
    from waiting w
    join waybill.tenants t on t.id = w.tenant_id
    left join waybill.variable_readings r on r.tenant_id = w.tenant_id
    order by r.read_at nulls first, t.id`;
}

/** Moves forward only: another process may have read further. */
export async function saveReading(
  sql: Queryable,
  {
    tenantId,
    seenUntil,
    completeUntil,
  }: Pick<Reading, "tenantId"> & Record<"seenUntil" | "completeUntil", Date>,
): Promise<void> {
  await sql`
    insert into waybill.variable_readings as r (tenant_id, seen_until, complete_until)
    values (${tenantId}, ${seenUntil}, ${completeUntil})
    on conflict (tenant_id) do update
      set seen_until = greatest(r.seen_until, excluded.seen_until),
          complete_until = greatest(r.complete_until, excluded.complete_until),
          read_at = now()`;
}
