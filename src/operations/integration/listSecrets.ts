import type { Handler } from "../../handler.ts";
import { findSecrets } from "../../tenants/secrets/queries.ts";
import { secretsOf } from "../../tenants/secrets/secretSealing.ts";

export const listSecrets: Handler<"listSecrets"> = async ({ caller }, deps) => {
  secretsOf(deps);
  return { status: 200, body: { secrets: await findSecrets(deps.sql, caller.tenant.id) } };
};
