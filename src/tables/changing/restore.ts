/** Restores a dropped table, with its references as far as they are still possible. */
import postgres from "postgres";
import type { Column, TableRecord } from "../../generated/schemas.ts";
import type { Tx } from "../../infrastructure/database/connect.ts";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { JsonText } from "../../infrastructure/jsonText.ts";
import type { Once } from "../../tenants/idempotency/once.ts";
import { lockTenant } from "../../tenants/queries.ts";
import { findRecord } from "../queries.ts";
import { changeTransaction, newName } from "./changeTransaction.ts";
import { audit, notDropped, type PurgeRequest } from "./drop.ts";
import { type DroppedTable, deleteDropped, findDroppedTable, hiddenTableName } from "./dropped.ts";
import { readFacts } from "./facts.ts";
import { isInBackground } from "./plan.ts";
import { findEntry, reinsertEntry, renameReferences } from "./registry.ts";
import { addReference } from "./statements.ts";
import { addTask, deleteTasks } from "./tasks.ts";

export interface RestoreRequest extends Omit<PurgeRequest, "once"> {
  /** Its new name. Undefined: the one that it had. */
  readonly name: string | undefined;
  /** For a request with an Idempotency-Key. */
  readonly once: Once<Restored> | undefined;
}

export interface Restored {
  readonly table: JsonText<TableRecord>;
  readonly name: string;
  readonly version: number;
  /** Columns whose reference to another table did not come back. */
  readonly lostReferences: readonly string[];
}

/** Throws `table_not_found`. Fails with unique_violation or duplicate_table if the name is in use. */
export const restoreTable = (
  { sql }: Pick<Infrastructure, "sql">,
  request: RestoreRequest,
): Promise<Restored> =>
  changeTransaction(
    sql,
    async (tx) => {
      const { tenant, tableId, actor } = request;
      const { schema } = tenant;
      await lockTenant(tx, tenant.id);
      const dropped = await findDroppedTable(tx, schema, tableId);
      if (!dropped) throw notDropped(tableId);
      const name = request.name ?? dropped.name;
      const version = dropped.version + 1;
      const rename = `alter table ${quoteTable(schema, hiddenTableName(tableId))} rename to ${quoteIdentifier(name)}`;
      await tx.unsafe(rename);
      const restoring = { schema, name, dropped };
      const { statements, columns } = await restoreReferences(tx, restoring);
      await reinsertEntry(tx, schema, { ...dropped, id: tableId, name, columns, version });
      if (name !== dropped.name)
        await renameReferences(tx, schema, { from: dropped.name, to: name, id: tableId });
      await deleteDropped(tx, schema, { listId: dropped.listId });
      await deleteTasks(tx, { tenantId: tenant.id, droppedId: dropped.listId });
      if (isUnfinished(dropped, columns))
        await addTask(tx, { tenantId: tenant.id, kind: "finish", tableId, actor });
      const statement = [rename, ...statements].join("; ");
      await audit(tx, request, { action: "restore_table", table: name, statement });
      const table = (await findRecord(tx, schema, name)) ?? { jsonText: "" };
      return { table, name, version, lostReferences: lostReferences(dropped.columns, columns) };
    },
    request.once,
  );

const isUnfinished = ({ indexes }: DroppedTable, columns: readonly Column[]) =>
  indexes.some(({ state }) => state === "building") ||
  columns.some(({ references }) => references?.state === "checking");

const lostReferences = (before: readonly Column[], after: readonly Column[]) =>
  before.flatMap(({ name, references }, at) => (references && !after[at]?.references ? [name] : []));

interface Restoring {
  readonly schema: string;
  readonly name: string;
  readonly dropped: DroppedTable;
}

/** Adds each reference that is still possible. Returns the columns with these references. */
async function restoreReferences(tx: Tx, restoring: Restoring) {
  const columns: Column[] = [];
  const statements: string[] = [];
  const { schema, name, dropped } = restoring;
  if (!dropped.columns.some(({ references }) => references)) return { columns: dropped.columns, statements };
  const isLater = isInBackground(await readFacts(tx, schema, name, { count: false }));
  for (const column of dropped.columns) {
    const { references, ...plain } = column;
    const statement = references && (await restoreReference(tx, { ...restoring, column, isLater }));
    if (statement) statements.push(statement);
    const { table = "", on_delete = "restrict" } = references ?? {};
    const reference = { table: table === dropped.name ? name : table, on_delete };
    const restored = isLater ? { ...reference, state: "checking" as const } : reference;
    columns.push(statement ? { ...plain, references: restored } : plain);
  }
  return { columns, statements };
}

/** The statement that ran. Undefined if the reference is not possible any more. */
async function restoreReference(
  tx: Tx,
  {
    schema,
    name,
    dropped,
    column,
    isLater,
  }: Restoring & { readonly column: Column; readonly isLater: boolean },
): Promise<string | undefined> {
  const { references } = column;
  if (!references || references.state === "failed") return undefined;
  const isOwn = references.table === dropped.name;
  if (!isOwn && !(await isSameTable(tx, schema, references.table, dropped.droppedAt))) return undefined;
  const reference = { ...references, table: isOwn ? name : references.table };
  const add = addReference({ name: column.name, reference }, { schema, newName });
  const statement = `alter table ${quoteTable(schema, name)} ${add}${isLater ? " not valid" : ""}`;
  try {
    await tx.savepoint((trial) => trial.unsafe(statement));
    return statement;
  } catch (error) {
    // foreign_key_violation: rows refer to rows that are gone by now.
    if (error instanceof postgres.PostgresError && error.code === "23503") return undefined;
    throw error;
  }
}

/** Whether the other table is the one of that time, and not a later one of the same name. */
async function isSameTable(tx: Tx, schema: string, table: string, droppedAt: string): Promise<boolean> {
  const entry = await findEntry(tx, schema, { name: table });
  if (!entry) return false;
  const [row] = await tx.unsafe<{ older: boolean }[]>(
    "select $1::text::timestamptz <= $2::text::timestamptz as older",
    [entry.createdAt, droppedAt],
  );
  return row?.older ?? false;
}
