import { deleteAddon as deleteRow } from "../addons/queries.ts";
import type { Handler } from "../handler.ts";
import { Problem } from "../problem.ts";

export const deleteAddon: Handler<"deleteAddon"> = async ({ params, caller }, { sql, log }) => {
  const { tenant, subject } = caller;
  if (!(await deleteRow(sql, tenant.id, params.key))) throw new Problem("addon_not_found");
  log.info({ tenant_id: tenant.id, actor: subject, addon: params.key }, "an addon was removed");
  return { status: 204, body: undefined };
};
