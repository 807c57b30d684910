import postgres from "postgres";
import type { Handler } from "../../handler.ts";
import { quoteTable } from "../../infrastructure/database/identifiers.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { tableNotFound } from "../../tables/definition.ts";
import { deleteRecord } from "../../tables/queries.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { changeOnce } from "../../tenants/idempotency/once.ts";
import { lockTenant } from "../../tenants/queries.ts";

/** Drops the table, deletes its registry entry and adds the audit record in one transaction. */
export const dropTable: Handler<"dropTable"> = async (request, { sql }) => {
  const { params, query, caller, requestId, idempotency } = request;
  if (query.confirm !== true) throw notConfirmed();
  const { table } = params;
  const { tenant, subject: actor } = caller;
  return changeOnce(sql, idempotency, async (tx) => {
    await lockTenant(tx, tenant.id);
    const dropped = await deleteRecord(tx, tenant.schema, table);
    if (!dropped) throw tableNotFound(table);
    const name = quoteTable(tenant.schema, table);
    // If somebody dropped the table with SQL, this still clears the registry.
    await tx.unsafe(`drop table if exists ${name}`);
    const statement = `drop table ${name}`;
    const change = { action: "drop_table", table, statement, affectedRows: null } as const;
    await recordSuccess(tx, { ...change, tenantId: tenant.id, actor, requestId });
    const body = { success: true, message: `Table "${table}" was dropped.`, data: dropped } as const;
    return { status: 200, body } as const;
  }).catch((error) => {
    throw hasDependents(error) ? new Problem("table_has_dependents", { cause: error }) : error;
  });
};

const notConfirmed = () =>
  new Problem("confirmation_required", {
    message: "Dropping a table deletes all its rows. To confirm, add confirm=true. Nothing was changed.",
  });

/** For example, the platform created a view of the table. */
const hasDependents = (error: unknown) => error instanceof postgres.PostgresError && error.code === "2BP01";
