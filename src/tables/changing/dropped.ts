/**
 * `_dropped` in the tenant's schema: the tables and columns that were dropped and can be restored. Until they are
 * purged, PostgreSQL has them under a name that no caller can give, so their own names are free.
 */
import type { Column, TableIndex as Index, TableRecord } from "../../generated/schemas.ts";
import { type BoundedRows, boundedList, jsonOf } from "../../infrastructure/database/boundedList.ts";
import type { Queryable, Sql, Tx } from "../../infrastructure/database/connect.ts";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import { utcText } from "../../infrastructure/database/timestamps.ts";
import { parseJson } from "../../infrastructure/json.ts";
import type { JsonText } from "../../infrastructure/jsonText.ts";
import { registryTable } from "../definition.ts";
import type { HiddenColumn } from "./alteration.ts";

/** The list's name, quoted for SQL. */
export const droppedTable = (schema: string) => quoteTable(schema, "_dropped");

/** A dropped thing as answers show it: when, by whom, and how long it can be restored. */
const droppedJson = `
  json_build_object(
    'at', ${utcText("dropped_at")},
    'by', dropped_by,
    'restorable_until', ${utcText("purge_at")})`;

/** A dropped table as a table record, in the contract's order. */
const droppedRecord = `
  table_id as id,
  name as table_name,
  definition -> 'columns' as columns,
  definition ->> 'description' as description,
  ${utcText("(definition ->> 'createdAt')::timestamptz")} as created_at,
  ${utcText("(definition ->> 'updatedAt')::timestamptz")} as updated_at,
  definition -> 'version' as version,
  definition -> 'indexes' as indexes,
  ${droppedJson} as dropped`;

export const hiddenTableName = (tableId: number) => `_dropped_${tableId}`;
export const hiddenColumnName = (id: string) => `_dropped_${id}`;

export interface DroppedDefinition {
  readonly version: number;
  readonly description: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewDropped {
  readonly kind: "table" | "column";
  readonly tableId: number;
  readonly name: string;
  readonly definition: DroppedDefinition | { readonly column: Column; readonly indexes: readonly Index[] };
  readonly by: string;
  readonly undoDays: number;
}

/** Returns its id in the list, and until when it can be restored. */
export async function insertDropped(tx: Tx, schema: string, dropped: NewDropped) {
  const { kind, tableId, name, definition, by, undoDays } = dropped;
  const [row] = await tx.unsafe<{ id: string; until: string }[]>(
    `insert into ${droppedTable(schema)} (kind, table_id, name, definition, dropped_by, purge_at)
     values ($1::text, $2::text::bigint, $3::text, $4::text::jsonb, $5::text,
             now() + $6::text::float8 * interval '1 day')
     returning id::text as id, ${utcText("purge_at")} as until`,
    [kind, String(tableId), name, JSON.stringify(definition), by, String(undoDays)],
  );
  if (!row) throw new Error("A dropped table was not listed");
  return row;
}

/** What one tenant can have in its list. */
const maxDropped = 2_000;

/** The ids of the oldest entries, as far as the list has too many. */
export async function tooManyDropped(tx: Tx, schema: string): Promise<string[]> {
  const rows = await tx.unsafe<{ id: string }[]>(
    `select id::text as id from ${droppedTable(schema)} order by id desc offset ${maxDropped}`,
  );
  return rows.map(({ id }) => id);
}

interface HiddenRow {
  readonly id: string;
  readonly definition: string;
}

/** The dropped columns of a table that have one of these names, last dropped first. */
export async function hiddenColumns(
  on: Queryable,
  { schema, table, tableId }: { readonly schema: string; readonly table: string; readonly tableId: number },
  names: readonly string[],
): Promise<HiddenColumn[]> {
  if (names.length === 0) return [];
  const rows = await on.unsafe<HiddenRow[]>(
    `select id::text as id, definition::text as definition
     from ${droppedTable(schema)}
     where kind = 'column'
       and table_id = $1::text::bigint
       and name in (select jsonb_array_elements_text($2::text::jsonb))
     order by dropped_at desc, id desc`,
    [String(tableId), JSON.stringify([...new Set(names)])],
  );
  const hidden: HiddenColumn[] = [];
  for (const { id, definition } of rows) {
    const { column, indexes } = parseJson(definition) as Pick<HiddenColumn, "column" | "indexes">;
    const hiddenName = hiddenColumnName(id);
    const [found] = await on.unsafe<{ hasNull: boolean }[]>(
      `select exists (
         select from ${quoteTable(schema, table)} where ${quoteIdentifier(hiddenName)} is null
       ) as "hasNull"`,
    );
    hidden.push({ id, hiddenName, column, indexes, hasNull: found?.hasNull ?? true });
  }
  return hidden;
}

export interface DroppedTable extends DroppedDefinition {
  readonly listId: string;
  readonly name: string;
  readonly droppedAt: string;
  readonly record: JsonText<TableRecord>;
}

/** A dropped table, by its id in the registry. */
export async function findDroppedTable(
  on: Queryable,
  schema: string,
  tableId: number,
): Promise<DroppedTable | undefined> {
  const [row] = await on.unsafe<
    { listId: string; name: string; definition: string; droppedAt: string; record: string }[]
  >(
    `select id::text as "listId",
            name,
            definition::text as definition,
            dropped_at::text as "droppedAt",
            row_to_json((select r from (select ${droppedRecord}) r))::text as record
     from ${droppedTable(schema)}
     where kind = 'table'
       and table_id = $1::text::bigint`,
    [String(tableId)],
  );
  if (!row) return undefined;
  const { definition, record, ...rest } = row;
  return { ...rest, record: { jsonText: record }, ...(parseJson(definition) as DroppedDefinition) };
}

/** All dropped tables of a tenant, last dropped first, as one JSON array. Throws `answer_too_large`. */
export async function listDroppedTables(sql: Sql, schema: string) {
  const { before, after } = boundedList(", (select count(*)::int from page) as count");
  const [row] = await sql.unsafe<(BoundedRows & { count: number })[]>(`
    ${before}
      select ${droppedRecord}
      from ${droppedTable(schema)}
      where kind = 'table'
      order by dropped_at desc, id desc
    ${after}`);
  return { count: row?.count ?? 0, tables: jsonOf(row) };
}

/** The dropped columns of a table as JSON, last dropped first. */
export async function listDroppedColumns(sql: Sql, schema: string, table: string) {
  const [row] = await sql.unsafe<{ columns: string | null }[]>(
    `select json_agg(json_build_object('column', definition -> 'column', 'dropped', ${droppedJson})
                     order by dropped_at desc, id desc)::text as columns
     from ${droppedTable(schema)}
     where kind = 'column'
       and table_id = (select id from ${registryTable(schema)} where table_name = $1::text)`,
    [table],
  );
  return { jsonText: row?.columns ?? "[]" };
}

/** Removes entries from the list, of one id or of a whole table. */
export async function deleteDropped(
  tx: Tx,
  schema: string,
  which: { readonly listId: string } | { readonly tableId: number },
): Promise<void> {
  const [column, value] = "listId" in which ? ["id", which.listId] : ["table_id", String(which.tableId)];
  await tx.unsafe(`delete from ${droppedTable(schema)} where ${column} = $1::text::bigint`, [value]);
}
