import postgres from "postgres";
import type { Column, NewTable } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import { maxFaults, Problem } from "../../infrastructure/problem.ts";
import { columnTypes } from "../../tables/columnTypes/index.ts";
import { isBuiltIn, systemColumns } from "../../tables/definition.ts";
import { insertRecord } from "../../tables/queries.ts";
import { refuse, type ValueFault } from "../../tables/values.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { changeOnce } from "../../tenants/idempotency/once.ts";
import { lockTenant } from "../../tenants/queries.ts";

/** Creates the table, its registry entry and its audit record in one transaction. */
export const createTable: Handler<"createTable"> = async (request, { sql }) => {
  const { body, faults, caller, requestId, idempotency } = request;
  refuse([...faults, ...columnFaults(body)]);
  const { name, description = "", columns: given } = body as NewTable;
  const columns = given.map(({ name, type, nullable = true }) => ({ name, type, nullable }));
  const { tenant, subject: actor } = caller;
  const statement = createStatement(tenant.schema, name, columns);
  try {
    return await changeOnce(sql, idempotency, async (tx) => {
      await lockTenant(tx, tenant.id);
      const created = await insertRecord(tx, { schema: tenant.schema, name, description, columns });
      await tx.unsafe(statement);
      const change = { action: "create_table", table: name, statement, affectedRows: null } as const;
      await recordSuccess(tx, { ...change, tenantId: tenant.id, actor, requestId });
      const message = `Table "${name}" was created.`;
      return { status: 201, body: { success: true, message, data: created } } as const;
    });
  } catch (error) {
    throw isNameInUse(error) ? nameInUse(name) : error;
  }
};

/** The faults that the contract's schema cannot find: built-in and system columns, and duplicate names. */
function columnFaults(body: unknown): ValueFault[] {
  const columns = (body as Partial<NewTable> | null)?.columns;
  if (!Array.isArray(columns)) return [];
  const seen = new Set<string>();
  const faults: ValueFault[] = [];
  for (let index = 0; index < columns.length && faults.length < maxFaults; index++) {
    const name = (columns[index] as { name?: unknown } | null)?.name;
    if (typeof name !== "string") continue;
    const fault = columnFault(name, `/columns/${index}/name`, seen);
    seen.add(name);
    if (fault) faults.push(fault);
  }
  return faults;
}

function columnFault(name: string, pointer: string, seen: ReadonlySet<string>): ValueFault | undefined {
  if (isBuiltIn(name) || systemColumns.has(name))
    return { code: "built_in_column", pointer, detail: `Column "${name}" is built in. Leave it out.` };
  return seen.has(name)
    ? { code: "duplicate_column", pointer, detail: `Column "${name.slice(0, 100)}" is defined twice.` }
    : undefined;
}

function createStatement(schema: string, name: string, columns: readonly Column[]): string {
  const own = columns.map(
    ({ name, type, nullable }) =>
      `${quoteIdentifier(name)} ${columnTypes[type].sqlType}${nullable ? "" : " not null"}`,
  );
  const all = [
    `"id" bigint generated always as identity primary key`,
    `"created_at" timestamptz not null default now()`,
    `"updated_at" timestamptz not null default now()`,
    ...own,
  ];
  return `create table ${quoteTable(schema, name)} (${all.join(", ")})`;
}

/** A registry entry, a relation or a type has the name. Simultaneous requests can collide in any of the three. */
function isNameInUse(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false;
  const constraints = [
    "_tables_name",
    "tenant_tables_name",
    "pg_type_typname_nsp_index",
    "pg_class_relname_nsp_index",
  ];
  const { code, constraint_name: constraint = "" } = error;
  return code === "42P07" || code === "42710" || (code === "23505" && constraints.includes(constraint));
}

const nameInUse = (name: string) =>
  new Problem("table_name_in_use", {
    errors: [{ pointer: "/name", detail: `The name "${name}" is in use. Choose another.` }],
  });
