/** What only the database knows about a table: its size, and what PostgreSQL calls its indexes and references. */
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { quoteTable } from "../../infrastructure/database/identifiers.ts";
import type { Catalog, CatalogIndex } from "./statements.ts";

export interface TableFacts extends Catalog {
  /** Above a million, PostgreSQL's estimate. */
  readonly rows: number;
  /** Without indexes. */
  readonly bytes: number;
  /** How many columns the table has had. PostgreSQL never uses the place of a dropped column again. */
  readonly slots: number;
  /** Columns that a view or the like needs as they are. */
  readonly needed: ReadonlySet<string>;
  /** The index of the primary key and the sequence of `id`. They keep the table's first name. */
  readonly named: { readonly primaryKey: string | null; readonly sequence: string | null };
}

/** Rows that are counted. Counting a million takes about a tenth of a second. */
const countedRows = 1_000_000;

interface FactsRow {
  readonly bytes: number;
  readonly estimate: number;
  readonly slots: number;
  readonly indexes: CatalogIndex[];
  readonly references: { name: string; column: string }[];
  readonly needed: string[];
  readonly primaryKey: string | null;
  readonly sequence: string | null;
}

/** Throws undefined_table if PostgreSQL does not have the table. Without `count`, `rows` is 0. */
export async function readFacts(
  on: Queryable,
  schema: string,
  table: string,
  { count = true }: { readonly count?: boolean } = {},
): Promise<TableFacts> {
  const name = quoteTable(schema, table);
  const [row] = await on<FactsRow[]>`
    select pg_table_size(c.oid)::float8 as bytes,
           c.reltuples::float8 as estimate,
           c.relnatts as slots,
           coalesce((${indexesOf(on)}), '[]') as indexes,
           coalesce((
             select json_agg(json_build_object('name', conname, 'column', a.attname))
             from pg_constraint k
             join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
             where k.conrelid = c.oid and k.contype = 'f'), '[]') as references,
           coalesce((
             select json_agg(distinct a.attname)
             from pg_depend d
             join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
             where d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
               and d.classid = 'pg_rewrite'::regclass), '[]') as needed,
           (select i.relname
            from pg_index x
            join pg_class i on i.oid = x.indexrelid
            where x.indrelid = c.oid and x.indisprimary) as "primaryKey",
           (select s.relname
            from pg_class s
            where s.oid = pg_get_serial_sequence(${name}, 'id')::regclass) as sequence
    from pg_class c
    where c.oid = ${name}::regclass`;
  if (!row) throw new Error("PostgreSQL has no such table");
  const rows = count ? await countRows(on, name) : 0;
  const { primaryKey, sequence, needed, estimate, ...facts } = row;
  return {
    ...facts,
    rows: rows > countedRows ? Math.max(rows, Math.round(estimate)) : rows,
    needed: new Set(needed),
    named: { primaryKey, sequence },
  };
}

async function countRows(on: Queryable, name: string): Promise<number> {
  const [row] = await on.unsafe<{ rows: number }[]>(
    `select count(*)::float8 as rows from (select 1 from ${name} limit ${countedRows + 1}) r`,
  );
  return row?.rows ?? 0;
}

/** Indexes of whole columns, without that of the primary key. */
const indexesOf = (on: Queryable) => on`
  select json_agg(json_build_object('name', i.relname, 'valid', x.indisvalid, 'columns', (
    select json_agg(a.attname order by k.at)
    from unnest(x.indkey::int2[]) with ordinality k(attnum, at)
    join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum)))
  from pg_index x
  join pg_class i on i.oid = x.indexrelid
  where x.indrelid = c.oid and not x.indisprimary and x.indexprs is null and x.indpred is null`;
