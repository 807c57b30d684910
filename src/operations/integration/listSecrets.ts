import type { Handler } from "../../handler.ts";
import { findSecrets } from "../../tenants/secrets/queries.ts";
import { requireSealing } from "../../tenants/secrets/secrets.ts";

export const listSecrets: Handler<"listSecrets"> = async ({ caller }, deps) => {
  requireSealing(deps);
  return { status: 200, body: { secrets: await findSecrets(deps.sql, caller.tenant.id) } };
};
