/** Statements of a change on the registry, `_tables` in the tenant's schema. */
import type { Column, TableIndex as Index, TableRecord } from "../../generated/schemas.ts";
import type { Queryable, Tx } from "../../infrastructure/database/connect.ts";
import { parseJson } from "../../infrastructure/json.ts";
import type { JsonText } from "../../infrastructure/jsonText.ts";
import { registryTable } from "../definition.ts";
import { record } from "../queries.ts";
import type { TableState } from "./alteration.ts";
import { droppedTable } from "./dropped.ts";

export interface Entry extends TableState {
  readonly id: number;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface EntryRow {
  readonly id: number;
  readonly version: number;
  readonly name: string;
  readonly description: string;
  readonly columns: string;
  readonly indexes: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The entry as text, so that no digit of a default is lost. */
const entryColumns = `
  id::float8 as id,
  version,
  table_name as name,
  description,
  columns::text as columns,
  indexes::text as indexes,
  created_at::text as "createdAt",
  updated_at::text as "updatedAt"`;

const entryOf = ({ columns, indexes, ...row }: EntryRow): Entry => ({
  ...row,
  columns: parseJson(columns) as Column[],
  indexes: parseJson(indexes) as Index[],
});

/** A table's entry, by its name or its id. Undefined if the registry does not list it. */
export async function findEntry(
  on: Queryable,
  schema: string,
  table: { readonly name: string } | { readonly id: number },
): Promise<Entry | undefined> {
  const [column, value] = "name" in table ? ["table_name", table.name] : ["id::text", String(table.id)];
  const [row] = await on.unsafe<EntryRow[]>(
    `select ${entryColumns} from ${registryTable(schema)} where ${column} = $1::text`,
    [value],
  );
  return row && entryOf(row);
}

/** Those of the names that the tenant's tables have. */
export async function existingTables(on: Queryable, schema: string, names: readonly string[]) {
  if (names.length === 0) return new Set<string>();
  const rows = await on.unsafe<{ name: string }[]>(
    `select table_name as name
     from ${registryTable(schema)}
     where table_name in (select jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify([...new Set(names)])],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Writes the entry of a changed table as its next version, and returns its record. */
export async function saveEntry(
  tx: Tx,
  schema: string,
  { id, name, description, columns, indexes }: TableState & { readonly id: number },
): Promise<JsonText<TableRecord>> {
  const [row] = await tx.unsafe<{ record: string }[]>(
    `update ${registryTable(schema)} t
     set table_name = $2::text,
         description = $3::text,
         columns = $4::text::jsonb,
         indexes = $5::text::jsonb,
         version = version + 1,
         updated_at = now()
     where id = $1::text::bigint
     returning ${record}`,
    [String(id), name, description, JSON.stringify(columns), JSON.stringify(indexes)],
  );
  return { jsonText: row?.record ?? "" };
}

/** Lists a table again that was dropped. Fails with unique_violation `_tables_name` if the name is in use. */
export async function reinsertEntry(tx: Tx, schema: string, entry: Entry): Promise<void> {
  const { id, name, version, description, columns, indexes, createdAt } = entry;
  await tx.unsafe(
    `insert into ${registryTable(schema)} (
       id, table_name, description, columns, indexes, version, created_at
     ) values (
       $1::text::bigint, $2::text, $3::text, $4::text::jsonb, $5::text::jsonb, $6::text::int, $7::text::timestamptz
     )`,
    [
      String(id),
      name,
      description,
      JSON.stringify(columns),
      JSON.stringify(indexes),
      String(version),
      createdAt,
    ],
  );
}

/** The names of the other tables that refer to a table. */
export async function referringTables(on: Queryable, schema: string, table: string): Promise<string[]> {
  const rows = await on.unsafe<{ name: string }[]>(
    `select table_name as name
     from ${registryTable(schema)}
     where columns @> ${referencesTo("$1::text")}
       and table_name <> $1::text
     order by id`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Part of a list of columns: one that refers to a table. */
const referencesTo = (name: string) =>
  `jsonb_build_array(jsonb_build_object('references', jsonb_build_object('table', ${name})))`;

const renamedIn = (columns: string) => `(
  select jsonb_agg(
    case when c -> 'references' ->> 'table' = $1::text
         then jsonb_set(c, '{references,table}', to_jsonb($2::text))
         else c
    end order by n)
  from jsonb_array_elements(${columns}) with ordinality x(c, n))`;

/** After a table got another name: in the entries of the tables that refer to it, and of those that were dropped. */
export async function renameReferences(
  tx: Tx,
  schema: string,
  { from, to, id }: { readonly from: string; readonly to: string; readonly id: number },
): Promise<void> {
  await tx.unsafe(
    `update ${registryTable(schema)} t
     set columns = ${renamedIn("columns")},
         version = version + 1,
         updated_at = now()
     where columns @> ${referencesTo("$1::text")}
       and id <> $3::text::bigint`,
    [from, to, String(id)],
  );
  await tx.unsafe(
    `update ${droppedTable(schema)} t
     set definition = jsonb_set(definition, '{columns}', ${renamedIn("definition -> 'columns'")})
     where kind = 'table'
       and definition -> 'columns' @> ${referencesTo("$1::text")}`,
    [from, to],
  );
}
