/** Drops and restores tables. A dropped table stays under a name that no caller can give, until it is purged. */
import postgres from "postgres";
import type { TableRecord } from "../../generated/schemas.ts";
import type { Tx } from "../../infrastructure/database/connect.ts";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { JsonText } from "../../infrastructure/jsonText.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import type { Once } from "../../tenants/idempotency/once.ts";
import { lockTenant } from "../../tenants/queries.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { tableNotFound } from "../definition.ts";
import { deleteRecord } from "../queries.ts";
import { changeTransaction, lockTable, namedParts } from "./changeTransaction.ts";
import {
  deleteDropped,
  findDroppedTable,
  hiddenTableName,
  insertDropped,
  tooManyDropped,
} from "./dropped.ts";
import { readFacts } from "./facts.ts";
import { requireTag } from "./prepare.ts";
import { type Entry, findEntry, referringTables } from "./registry.ts";
import { addTask, deleteTasks, purgeSoon } from "./tasks.ts";

type Deps = Pick<Infrastructure, "sql" | "config">;

export interface DropRequest {
  readonly tenant: Tenant;
  /** Its name. With `purge` also the id of a table that was dropped before. */
  readonly table: string;
  readonly purge: boolean;
  /** The header If-Match. */
  readonly ifMatch?: string | undefined;
  readonly actor: string;
  readonly requestId: string;
  /** For a request with an Idempotency-Key. */
  readonly once: Once<JsonText<TableRecord>> | undefined;
}

/** Returns the last definition. Throws `table_not_found`, `precondition_failed` and `table_has_dependents`. */
export const dropTable = ({ sql, config }: Deps, request: DropRequest): Promise<JsonText<TableRecord>> =>
  changeTransaction(
    sql,
    async (tx) => {
      const { tenant, table, purge } = request;
      await lockTenant(tx, tenant.id);
      const entry = await findEntry(tx, tenant.schema, { name: table });
      const undoDays = purge ? 0 : config.tablesUndoDays;
      if (!entry) throw tableNotFound(table);
      requireTag(request.ifMatch, entry);
      await refuseReferences(tx, tenant, table);
      const statement =
        undoDays > 0 && (await exists(tx, tenant, table))
          ? await hide(tx, entry, { request, undoDays })
          : await remove(tx, entry, tenant);
      const record = await deleteRecord(tx, tenant.schema, table);
      await audit(tx, request, { action: "drop_table", table, statement });
      return record ?? { jsonText: "" };
    },
    request.once,
  ).catch(refuseDependents);

/** Somebody may have dropped the table with SQL. */
async function exists(tx: Tx, { schema }: Tenant, table: string): Promise<boolean> {
  const [row] = await tx<{ exists: boolean }[]>`
    select to_regclass(${quoteTable(schema, table)}) is not null as exists`;
  return row?.exists ?? false;
}

async function refuseReferences(tx: Tx, { schema }: Tenant, table: string): Promise<void> {
  const referring = await referringTables(tx, schema, table);
  if (referring.length === 0) return;
  const names = referring.slice(0, 10).map((name) => `"${name}"`);
  const more = referring.length > 10 ? ` and ${referring.length - 10} more` : "";
  throw new Problem("table_has_dependents", {
    message:
      `These tables refer to it: ${names.join(", ")}${more}. ` +
      "Remove these references first, with references null. Nothing was changed.",
  });
}

async function remove(tx: Tx, entry: Entry, tenant: Tenant): Promise<string> {
  const statement = `drop table ${quoteTable(tenant.schema, entry.name)}`;
  // If somebody dropped the table with SQL, this still clears the registry.
  await tx.unsafe(statement.replace("drop table", "drop table if exists"));
  await deleteDropped(tx, tenant.schema, { tableId: entry.id });
  await deleteTasks(tx, { tenantId: tenant.id, tableId: entry.id });
  return statement;
}

interface Hiding {
  readonly request: DropRequest;
  readonly undoDays: number;
}

/** Renames the table and what else has a name. Its references to other tables go, or they would hold these up. */
async function hide(tx: Tx, entry: Entry, { request, undoDays }: Hiding): Promise<string> {
  const { tenant, actor } = request;
  const { schema } = tenant;
  const table = quoteTable(schema, entry.name);
  await lockTable(tx, schema, entry.name);
  await requireDroppable(tx, table);
  const facts = await readFacts(tx, schema, entry.name, { count: false });
  const statements = [
    ...facts.references.map(({ name }) => `alter table ${table} drop constraint ${quoteIdentifier(name)}`),
    ...namedParts(schema, entry.id, facts),
    `alter table ${table} rename to ${quoteIdentifier(hiddenTableName(entry.id))}`,
  ];
  for (const statement of statements) await tx.unsafe(statement);
  const { id: tableId, name, ...definition } = entry;
  const dropped = { kind: "table", tableId, name, definition, by: actor, undoDays } as const;
  const { id: droppedId } = await insertDropped(tx, schema, dropped);
  await addTask(tx, { tenantId: tenant.id, kind: "purge", tableId, actor, undoDays, droppedId });
  await purgeSoon(tx, tenant.id, await tooManyDropped(tx, schema));
  return statements.join("; ");
}

/** Throws dependent_objects_still_exist if, for example, the platform made a view of the table. */
async function requireDroppable(tx: Tx, table: string): Promise<void> {
  const undone = new Error("only a trial");
  await tx
    .savepoint(async (trial) => {
      await trial.unsafe(`drop table ${table}`);
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
}

/** For example, the platform created a view of the table. */
function refuseDependents(error: unknown): never {
  const isDependent = error instanceof postgres.PostgresError && error.code === "2BP01";
  throw isDependent ? new Problem("table_has_dependents", { cause: error }) : error;
}

interface Action {
  readonly action: "drop_table" | "restore_table" | "purge_table";
  readonly table: string;
  readonly statement: string;
}

export const audit = (
  tx: Tx,
  { tenant, actor, requestId }: Pick<DropRequest, "tenant" | "actor" | "requestId">,
  action: Action,
) => recordSuccess(tx, { ...action, tenantId: tenant.id, actor, requestId, affectedRows: null });

export interface PurgeRequest extends Omit<DropRequest, "table" | "purge"> {
  /** The id of a table that was dropped. */
  readonly tableId: number;
}

/** Removes a dropped table for good. Returns its last definition. Throws `table_not_found`. */
export const purgeTable = ({ sql }: Deps, request: PurgeRequest): Promise<JsonText<TableRecord>> =>
  changeTransaction(
    sql,
    async (tx) => {
      const { tenant, tableId } = request;
      await lockTenant(tx, tenant.id);
      const dropped = await findDroppedTable(tx, tenant.schema, tableId);
      if (!dropped) throw notDropped(tableId);
      const statement = `drop table ${quoteTable(tenant.schema, hiddenTableName(tableId))}`;
      await tx.unsafe(statement.replace("drop table", "drop table if exists"));
      await deleteDropped(tx, tenant.schema, { tableId });
      await deleteTasks(tx, { tenantId: tenant.id, tableId });
      await audit(tx, request, { action: "purge_table", table: dropped.name, statement });
      return dropped.record;
    },
    request.once,
  );

export const notDropped = (tableId: number) =>
  new Problem("table_not_found", { message: `No dropped table has the id ${tableId}, or it was purged.` });
