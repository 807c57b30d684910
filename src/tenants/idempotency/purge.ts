/** Removes kept answers that nobody can get any longer. */
import type { Sql } from "../../infrastructure/database/connect.ts";
import { inLane } from "../../infrastructure/database/lanes.ts";
import { schemaOf } from "../tenant.ts";
import { keptHours, keysTable } from "./keys.ts";

/** Tenants that are read at a time, and rows that one statement removes. */
const tenantsAtOnce = 1_000;
const rowsAtOnce = 5_000;
/** The step of a tenant's records that makes the table. */
const step = 20;

export async function purgeExpiredKeys(sql: Sql): Promise<void> {
  for (let after = 0; ; ) {
    const tenants = await sql<{ id: number }[]>`
      select id::float8 as id
      from waybill.tenants
      where id > ${after}
        and records >= ${step}
      order by id
      limit ${tenantsAtOnce}`;
    for (const { id: tenant } of tenants)
      await inLane({ kind: "job", tenant }, () => purgeTenant(sql, schemaOf(tenant)));
    const last = tenants.at(-1);
    if (!last) return;
    after = last.id;
  }
}

async function purgeTenant(sql: Sql, schema: string): Promise<void> {
  const table = keysTable(schema);
  const text = `
    delete from ${table}
    where id = any(array(
      select id
      from ${table}
      where created_at < now() - interval '${keptHours} hours'
      order by created_at
      limit ${rowsAtOnce}
    ))`;
  while ((await sql.unsafe(text)).count === rowsAtOnce);
}
