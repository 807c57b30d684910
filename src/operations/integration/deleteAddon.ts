import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { deleteAddon as deleteRow } from "../../processes/addons.ts";
import { recordSuccess } from "../../tenants/audit.ts";

export const deleteAddon: Handler<"deleteAddon"> = async ({ params, caller, requestId }, { sql, log }) => {
  const { tenant, subject } = caller;
  await sql.begin(async (tx) => {
    if (!(await deleteRow(tx, tenant.id, params.key))) throw new Problem("addon_not_found");
    await recordSuccess(tx, {
      tenantId: tenant.id,
      actor: subject,
      action: "delete_addon",
      table: undefined,
      statement: `delete addon ${params.key}`,
      affectedRows: null,
      requestId,
    });
  });
  log.info({ tenant_id: tenant.id, actor: subject, addon: params.key }, "Addon removed");
  return { status: 204, body: undefined };
};
