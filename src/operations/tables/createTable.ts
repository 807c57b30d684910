import type { NewTable } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { isNameInUse, nameInUse } from "../../tables/changing/nameInUse.ts";
import { columnNameFaults, completeTable, createStatements } from "../../tables/changing/newTable.ts";
import { insertRecord } from "../../tables/queries.ts";
import { refuse } from "../../tables/values.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { changeOnce } from "../../tenants/idempotency/once.ts";
import { lockTenant } from "../../tenants/queries.ts";

/** Creates the table, its registry entry and its audit record in one transaction. */
export const createTable: Handler<"createTable"> = async (request, { sql }) => {
  const { body, faults, caller, requestId, idempotency } = request;
  refuse([...faults, ...columnNameFaults(body)]);
  const given = body as NewTable;
  const { name, description = "" } = given;
  const { tenant, subject: actor } = caller;
  const { schema } = tenant;
  try {
    return await changeOnce(sql, idempotency, async (tx) => {
      await lockTenant(tx, tenant.id);
      const { columns, indexes } = await completeTable(tx, schema, given);
      const created = await insertRecord(tx, { schema, name, description, columns, indexes });
      const statements = createStatements(schema, { name, columns, indexes });
      for (const statement of statements) await tx.unsafe(statement);
      const statement = statements.join("; ");
      const change = { action: "create_table", table: name, statement, affectedRows: null } as const;
      await recordSuccess(tx, { ...change, tenantId: tenant.id, actor, requestId });
      const message = `Table "${name}" was created.`;
      return { status: 201, body: { success: true, message, data: created } } as const;
    });
  } catch (error) {
    throw isNameInUse(error) ? nameInUse(name, "/name") : error;
  }
};
