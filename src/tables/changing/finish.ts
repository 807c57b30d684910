/**
 * Builds the indexes of a table that are `building`, and checks the references that are `checking`. Neither blocks rows
 * from being written. An index whose building was interrupted is built again from the beginning.
 */
import postgres from "postgres";
import type { Column, TableIndex as Index } from "../../generated/schemas.ts";
import type { Tx } from "../../infrastructure/database/connect.ts";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { lockTenant } from "../../tenants/queries.ts";
import { sameColumns, withUnique } from "./alteration.ts";
import { newName } from "./changeTransaction.ts";
import { readFacts } from "./facts.ts";
import { type Entry, findEntry, saveEntry } from "./registry.ts";
import { createIndex } from "./statements.ts";

export interface Unfinished {
  /** The tenant's id. */
  readonly id: number;
  readonly schema: string;
  readonly tableId: number;
  /** Who asked for it. */
  readonly actor: string;
}

type Connection = postgres.ReservedSql;

/** For the locks of the registry. */
const lockTimeout = "2s";
/** Building waits for older transactions. It holds up no rows while it waits. */
const buildTimeouts = "set statement_timeout = 0; set lock_timeout = '60s'";

/** True if nothing is left to do. */
export async function finishTable(connection: Connection, unfinished: Unfinished): Promise<boolean> {
  const { schema, tableId } = unfinished;
  await connection.unsafe(buildTimeouts).simple();
  // Each one can take long, and the table can be changed in between.
  for (;;) {
    const entry = await findEntry(connection, schema, { id: tableId });
    const index = entry?.indexes.find(({ state }) => state === "building");
    const column = entry?.columns.find(({ references }) => references?.state === "checking");
    if (entry && index) await finishIndex(connection, { unfinished, entry, index });
    else if (entry && column) await finishReference(connection, { unfinished, entry, column });
    else return true;
  }
}

interface Building {
  readonly unfinished: Unfinished;
  readonly entry: Entry;
  readonly index: Index;
}

async function finishIndex(connection: Connection, { unfinished, entry, index }: Building): Promise<void> {
  const { schema } = unfinished;
  const leftovers = await indexesOn(connection, schema, { entry, index });
  for (const { name, valid } of leftovers)
    if (!valid) await connection.unsafe(`drop index concurrently ${quoteTable(schema, name)}`);
  const place = { schema, table: entry.name, newName, concurrently: true };
  const statement = createIndex({ index }, place);
  const error = leftovers.some(({ valid }) => valid) ? undefined : await failureOf(connection, statement);
  if (error !== undefined)
    for (const { name } of await indexesOn(connection, schema, { entry, index }))
      await connection.unsafe(`drop index concurrently ${quoteTable(schema, name)}`);
  await save(connection, unfinished, {
    statement,
    change: ({ columns, indexes }) => {
      const after = indexes.map((other) =>
        sameColumns(other.columns, index.columns) ? ended(other, error) : other,
      );
      return { indexes: after, columns: withUnique(columns, after) };
    },
  });
}

async function indexesOn(
  connection: Connection,
  schema: string,
  { entry, index }: Pick<Building, "entry" | "index">,
) {
  const { indexes } = await readFacts(connection, schema, entry.name, { count: false });
  return indexes.filter(({ columns }) => sameColumns(columns, index.columns));
}

function ended({ columns, unique }: Index, error: string | undefined): Index {
  return error === undefined
    ? { columns, unique, state: "ready" }
    : { columns, unique, state: "failed", error };
}

/** Why the values do not fit. Undefined if they do. Throws any other error, such as a lock that was not free. */
async function failureOf(connection: Connection, statement: string): Promise<string | undefined> {
  try {
    await connection.unsafe(statement);
    return undefined;
  } catch (error) {
    const code = error instanceof postgres.PostgresError ? error.code : "";
    if (code === "23505")
      return "Some rows have the same values. Correct them, drop the index and add it again.";
    if (code === "54000") return "A value is too large for an index.";
    if (code === "23503") return "Some rows refer to rows that do not exist.";
    throw error;
  }
}

interface Checking {
  readonly unfinished: Unfinished;
  readonly entry: Entry;
  readonly column: Column;
}

async function finishReference(
  connection: Connection,
  { unfinished, entry, column }: Checking,
): Promise<void> {
  const { schema } = unfinished;
  const table = quoteTable(schema, entry.name);
  const { references } = await readFacts(connection, schema, entry.name, { count: false });
  const name = references.find((reference) => reference.column === column.name)?.name;
  const constraint = name === undefined ? undefined : quoteIdentifier(name);
  const validate = `alter table ${table} validate constraint ${constraint}`;
  const failed = constraint === undefined || (await failureOf(connection, validate)) !== undefined;
  const drop = `alter table ${table} drop constraint if exists ${constraint}`;
  await save(connection, unfinished, {
    statement: failed ? drop : validate,
    first: async (tx) => {
      if (failed && constraint !== undefined) await tx.unsafe(drop);
    },
    change: ({ columns, indexes }) => ({
      indexes,
      columns: columns.map((other) => (other.name === column.name ? checked(other, failed) : other)),
    }),
  });
}

function checked(column: Column, failed: boolean): Column {
  const { references } = column;
  if (!references) return column;
  const { table, on_delete } = references;
  return { ...column, references: failed ? { table, on_delete, state: "failed" } : { table, on_delete } };
}

interface Saving {
  readonly statement: string;
  readonly first?: (tx: Tx) => Promise<void>;
  readonly change: (entry: Entry) => Pick<Entry, "columns" | "indexes">;
}

/** Writes what became of it into the registry. Does nothing if the table was dropped in the meantime. */
async function save(connection: Connection, unfinished: Unfinished, saving: Saving): Promise<void> {
  const { id, schema, tableId, actor } = unfinished;
  await connection.begin(async (tx) => {
    await tx.unsafe(`set local lock_timeout = '${lockTimeout}'`);
    await lockTenant(tx, id);
    const entry = await findEntry(tx, schema, { id: tableId });
    if (!entry) return;
    await saving.first?.(tx);
    await saveEntry(tx, schema, { ...entry, ...saving.change(entry) });
    const { statement } = saving;
    const change = { action: "alter_table", table: entry.name, statement, affectedRows: null } as const;
    await recordSuccess(tx, { ...change, tenantId: id, actor, requestId: Bun.randomUUIDv7() });
  });
}
