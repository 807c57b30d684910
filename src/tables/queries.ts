/** Statements on the registry, `_tables` in the tenant's schema, and what runs those on a tenant's own table. */
import type { Column, TableIndex as Index, TableRecord } from "../generated/schemas.ts";
import { type BoundedRows, boundedList, jsonOf } from "../infrastructure/database/boundedList.ts";
import type { Queryable, Sql, Tx } from "../infrastructure/database/connect.ts";
import { runShape } from "../infrastructure/database/prepared.ts";
import { utcText } from "../infrastructure/database/timestamps.ts";
import type { JsonText } from "../infrastructure/jsonText.ts";
import { registryTable } from "./definition.ts";
import type { Statement } from "./statement.ts";

/** The columns of a table record, in the contract's order. */
const recordColumns = `
  id,
  table_name,
  columns,
  description,
  ${utcText("created_at")} as created_at,
  ${utcText("updated_at")} as updated_at,
  version,
  indexes`;

/** A table record as JSON. */
export const record = `row_to_json((select r from (select ${recordColumns}) r))::text as record`;

/** What a definition is made from. */
interface Entry {
  readonly id: number;
  readonly version: number;
  readonly columns: Column[];
  readonly indexes: Index[];
}

/** A table's entry. Undefined if the registry does not list it. */
export async function findDefinition(sql: Sql, schema: string, table: string): Promise<Entry | undefined> {
  const text = `
    select id::float8 as id, version, columns, indexes
    from ${registryTable(schema)}
    where table_name = $1::text`;
  const [row] = await runShape<Entry>(sql, text, [table]);
  return row;
}

/** The record of a table. Undefined if the registry does not list it. */
export async function findRecord(on: Queryable, schema: string, table: string) {
  const text = `
    select ${record}, '"' || id || '-' || version || '"' as tag
    from ${registryTable(schema)}
    where table_name = $1::text`;
  const [row] = await on.unsafe<{ record: string; tag: string }[]>(text, [table]);
  return row && { ...recordText(row.record), tag: row.tag };
}

/** All records of a tenant, newest first, as one JSON array. Throws `answer_too_large`. */
export async function listRecords(
  sql: Sql,
  schema: string,
): Promise<{ readonly count: number; readonly tables: { readonly jsonText: string } }> {
  const { before, after } = boundedList(", (select count(*)::int from page) as count");
  const text = `
    ${before}
      select ${recordColumns}
      from ${registryTable(schema)} t
      order by t.id desc
    ${after}`;
  const [row] = await runShape<BoundedRows & { count: number }>(sql, text, []);
  return { count: row?.count ?? 0, tables: jsonOf(row) };
}

/** Fails with unique_violation `_tables_name` if the tenant has a table of this name. */
export async function insertRecord(
  tx: Tx,
  table: {
    schema: string;
    name: string;
    description: string;
    columns: readonly Column[];
    indexes: readonly Index[];
  },
) {
  // A statement of its own, because the sequence is not in the tenant's schema, which can be a shard.
  const [next] = await tx<{ id: string }[]>`select nextval('waybill.tenant_tables_id_seq') as id`;
  const text = `
    insert into ${registryTable(table.schema)} (id, table_name, description, columns, indexes)
    values ($1::text::bigint, $2::text, $3::text, $4::text::jsonb, $5::text::jsonb)
    returning ${record}`;
  const values = [
    next?.id ?? "",
    table.name,
    table.description,
    JSON.stringify(table.columns),
    JSON.stringify(table.indexes),
  ];
  const [row] = await tx.unsafe<{ record: string }[]>(text, values);
  return recordText(row?.record ?? "");
}

/** Returns the record of the deleted entry. Undefined if there was none. */
export async function deleteRecord(tx: Tx, schema: string, table: string) {
  const text = `
    delete from ${registryTable(schema)}
    where table_name = $1::text
    returning ${record}`;
  const [row] = await tx.unsafe<{ record: string }[]>(text, [table]);
  return row && recordText(row.record);
}

export interface WriteResult {
  /** How many rows were written. */
  readonly affected: string;
  /** How many of them were inserted. Only for an upsert. */
  readonly inserted?: string;
  /** A JSON list. Absent or null if nobody asked for it, or if there are no rows. */
  readonly ids?: string | null;
  /** The rows' JSON, joined by commas. Absent or null if nobody asked for them, or if they do not fit. */
  readonly rows?: string | null;
  /** The transaction that has written the row. Only for an update of one row. */
  readonly tag?: string | null;
}

/** Writes rows and the audit record. Undefined if the registry no longer has the definition. */
export async function runWrite(
  sql: Sql,
  { text, parameters }: Statement,
  on: Queryable = sql,
): Promise<WriteResult | undefined> {
  const [row] = await runShape<WriteResult & Record<string, string>>(sql, text, parameters, on);
  return row;
}

const recordText = (jsonText: string): JsonText<TableRecord> => ({ jsonText });
