/** A table that is created: its faults, its registry entry and its SQL. */
import type { Column, ColumnDefinition, TableIndex as Index, NewTable } from "../../generated/schemas.ts";
import type { Tx } from "../../infrastructure/database/connect.ts";
import { quoteTable } from "../../infrastructure/database/identifiers.ts";
import { maxFaults } from "../../infrastructure/problem.ts";
import { refuse, type ValueFault } from "../values.ts";
import { withUnique } from "./alteration.ts";
import { newName } from "./changeTransaction.ts";
import { columnOf, definitionFaults, indexFault, nameFault } from "./newColumns.ts";
import { existingTables } from "./registry.ts";
import { addReference, columnSql, createIndex } from "./statements.ts";

/** The faults that the contract's schema cannot find: built-in and system columns, and duplicate names. */
export function columnNameFaults(body: unknown): ValueFault[] {
  const columns = (body as Partial<NewTable> | null)?.columns;
  if (!Array.isArray(columns)) return [];
  const seen = new Set<string>();
  const faults: ValueFault[] = [];
  for (let index = 0; index < columns.length && faults.length < maxFaults; index++) {
    const name = (columns[index] as { name?: unknown } | null)?.name;
    if (typeof name !== "string") continue;
    const fault = nameFault(name, `/columns/${index}/name`, seen);
    seen.add(name);
    if (fault) faults.push(fault);
  }
  return faults;
}

/** Throws the faults of defaults, references and indexes. */
export async function completeTable(
  tx: Tx,
  schema: string,
  given: NewTable,
): Promise<{ readonly columns: Column[]; readonly indexes: Index[] }> {
  const named = given.columns.flatMap(({ references }) => (references ? [references.table] : []));
  const tables = (await existingTables(tx, schema, named)).add(given.name);
  const names = new Set(given.columns.map(({ name }) => name));
  const indexes: Index[] = [];
  const faults = given.columns.flatMap((column, at) => definitionFaults(column, `/columns/${at}`, tables));
  for (const { pointer, columns, unique } of indexesOf(given)) {
    const fault = indexFault({ columns }, { pointer, names, indexes });
    if (fault) faults.push(fault);
    else indexes.push({ columns, unique, state: "ready" });
  }
  refuse(faults);
  return { columns: withUnique(given.columns.map(columnOf), indexes), indexes };
}

const indexesOf = ({ columns, indexes = [] }: NewTable) => [
  ...columns.flatMap(({ name, unique }: ColumnDefinition, at) =>
    unique ? [{ pointer: `/columns/${at}/unique`, columns: [name], unique }] : [],
  ),
  ...indexes.map(({ columns, unique = false }, at) => ({ pointer: `/indexes/${at}`, columns, unique })),
];

/** The statements that create the table. */
export function createStatements(
  schema: string,
  { name, columns, indexes }: { name: string; columns: readonly Column[]; indexes: readonly Index[] },
): string[] {
  const table = quoteTable(schema, name);
  const all = [
    `"id" bigint generated always as identity primary key`,
    `"created_at" timestamptz not null default now()`,
    `"updated_at" timestamptz not null default now()`,
    ...columns.map(columnSql),
  ];
  return [
    `create table ${table} (${all.join(", ")})`,
    ...indexes.map((index) => createIndex({ index }, { schema, table: name, newName })),
    ...columns.flatMap(({ name, references: reference }) =>
      reference ? [`alter table ${table} ${addReference({ name, reference }, { schema, newName })}`] : [],
    ),
  ];
}
