/** Statements on the registry, `waybill.tenant_tables`, and what runs those on a tenant's own table. */
import type { Column, TableRecord } from "../generated/schemas.ts";
import { type BoundedRows, boundedList, jsonOf } from "../infrastructure/database/boundedList.ts";
import type { Queryable, Sql, Tx } from "../infrastructure/database/connect.ts";
import { runShape } from "../infrastructure/database/prepared.ts";
import { utc } from "../infrastructure/database/timestamps.ts";
import type { JsonText } from "../infrastructure/jsonText.ts";
import type { Statement } from "./statement.ts";

/** The columns of a table record, in the contract's order. */
const recordColumns = (sql: Queryable) => sql`
  id,
  table_name,
  columns,
  description,
  ${utc(sql, "created_at")} as created_at,
  ${utc(sql, "updated_at")} as updated_at`;

/** A table record as JSON. */
const record = (sql: Queryable) => sql`
  row_to_json((select r from (select ${recordColumns(sql)}) r))::text`;

/** A condition: the tenant's table of this name. */
const isNamed = (sql: Queryable, tenantId: number, table: string) =>
  sql`tenant_id = ${tenantId} and table_name = ${table}`;

/** The id and the columns of a table. Undefined if the registry does not list it. */
export async function findDefinition(
  sql: Sql,
  tenantId: number,
  table: string,
): Promise<{ id: number; columns: Column[] } | undefined> {
  const [row] = await sql<{ id: number; columns: Column[] }[]>`
    select id::float8 as id, columns
    from waybill.tenant_tables
    where ${isNamed(sql, tenantId, table)}`;
  return row;
}

/** The record of a table. Undefined if the registry does not list it. */
export async function findRecord(sql: Sql, tenantId: number, table: string) {
  const [row] = await sql<{ record: string }[]>`
    select ${record(sql)} as record
    from waybill.tenant_tables
    where ${isNamed(sql, tenantId, table)}`;
  return row && recordText(row.record);
}

/** All records of a tenant, newest first, as one JSON array. Throws `answer_too_large`. */
export async function listRecords(
  sql: Sql,
  tenantId: number,
): Promise<{ readonly count: number; readonly tables: { readonly jsonText: string } }> {
  const { before, after } = boundedList(", (select count(*)::int from page) as count");
  const [row] = await sql<(BoundedRows & { count: number })[]>`
    ${sql.unsafe(before)}
      select ${recordColumns(sql)}
      from waybill.tenant_tables t
      where tenant_id = ${tenantId}
      order by t.id desc
    ${sql.unsafe(after)}`;
  return { count: row?.count ?? 0, tables: jsonOf(row) };
}

/** Fails with unique_violation `tenant_tables_name` if the tenant has a table of this name. */
export async function insertRecord(
  tx: Tx,
  table: { tenantId: number; name: string; description: string; columns: readonly Column[] },
) {
  const [row] = await tx<{ record: string }[]>`
    insert into waybill.tenant_tables (tenant_id, table_name, description, columns)
    values (
      ${table.tenantId},
      ${table.name},
      ${table.description},
      ${JSON.stringify(table.columns)}::text::jsonb
    )
    returning ${record(tx)} as record`;
  return recordText(row?.record ?? "");
}

/** Returns the record of the deleted entry. Undefined if there was none. */
export async function deleteRecord(tx: Tx, tenantId: number, table: string) {
  const [row] = await tx<{ record: string }[]>`
    delete from waybill.tenant_tables
    where ${isNamed(tx, tenantId, table)}
    returning ${record(tx)} as record`;
  return row && recordText(row.record);
}

/** Runs `selectPage`, which describes the row. */
export async function runPage(sql: Sql, { text, parameters }: Statement) {
  const [row] = await runShape<{
    current: boolean;
    fits: boolean;
    rows: string | null;
    total: string | null;
  }>(sql, text, parameters);
  return row;
}

/** Writes rows and the audit record. Undefined if the registry no longer has the definition. */
export async function runWrite(sql: Sql, { text, parameters }: Statement) {
  const [row] = await runShape<{ affected: string }>(sql, text, parameters);
  return row;
}

const recordText = (jsonText: string): JsonText<TableRecord> => ({ jsonText });
