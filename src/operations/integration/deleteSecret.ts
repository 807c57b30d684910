import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { deleteSecret as deleteRow } from "../../tenants/secrets/queries.ts";
import { requireSealing } from "../../tenants/secrets/secrets.ts";

export const deleteSecret: Handler<"deleteSecret"> = async ({ params, caller, requestId }, deps) => {
  requireSealing(deps);
  const { name } = params;
  const { tenant, subject: actor } = caller;
  await deps.sql.begin(async (tx) => {
    if (!(await deleteRow(tx, tenant.id, name))) throw new Problem("secret_not_found");
    const statement = `delete secret ${JSON.stringify(name)}`;
    const change = { action: "delete_secret", table: undefined, statement, affectedRows: 1 } as const;
    await recordSuccess(tx, { ...change, tenantId: tenant.id, actor, requestId });
  });
  return { status: 204, body: undefined };
};
