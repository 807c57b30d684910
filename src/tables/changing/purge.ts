/** Removes a dropped table or column for good when it can no longer be restored. */
import type postgres from "postgres";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { lockTenant } from "../../tenants/queries.ts";
import { registryTable } from "../definition.ts";
import { droppedTable, hiddenColumnName, hiddenTableName } from "./dropped.ts";

interface Purge {
  /** The tenant's id. */
  readonly id: number;
  readonly schema: string;
  readonly droppedId: string;
}

/** In the audit trail, the actor of what nobody asks for at that moment. */
const actor = "waybill";

interface Gone {
  readonly kind: "table" | "column";
  readonly tableId: number;
  readonly name: string;
  /** The table's name as PostgreSQL has it. Null if the column's table was dropped with SQL. */
  readonly table: string | null;
}

/** Returns true. It is done, too, if it was restored or purged in the meantime. */
export async function purgeDropped(connection: postgres.ReservedSql, purge: Purge): Promise<boolean> {
  const { id, schema, droppedId } = purge;
  await connection.begin(async (tx) => {
    await tx.unsafe("set local lock_timeout = '2s'");
    await lockTenant(tx, id);
    const [gone] = await tx.unsafe<Gone[]>(
      `delete from ${droppedTable(schema)} d
       where id = $1::text::bigint
       returning kind,
                 table_id::float8 as "tableId",
                 name,
                 coalesce(
                   (select table_name from ${registryTable(schema)} t where t.id = d.table_id),
                   '_dropped_' || d.table_id) as table`,
      [droppedId],
    );
    if (!gone) return;
    const statement = statementOf(gone, purge);
    // Whoever dropped it with SQL already has purged it.
    await tx.unsafe(statement.replace(/^(drop table|alter table)/, "$1 if exists"));
    if (gone.kind === "table")
      await tx.unsafe(`delete from ${droppedTable(schema)} where table_id = $1::text::bigint`, [
        String(gone.tableId),
      ]);
    const change = { action: "purge_table", table: gone.name, statement, affectedRows: null } as const;
    await recordSuccess(tx, { ...change, tenantId: id, actor, requestId: Bun.randomUUIDv7() });
  });
  return true;
}

function statementOf({ kind, tableId, table }: Gone, { schema, droppedId }: Purge): string {
  if (kind === "table") return `drop table ${quoteTable(schema, hiddenTableName(tableId))}`;
  const column = quoteIdentifier(hiddenColumnName(droppedId));
  return `alter table ${quoteTable(schema, table ?? "")} drop column if exists ${column}`;
}
