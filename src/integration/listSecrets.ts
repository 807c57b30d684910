import type { Handler } from "../handler.ts";
import { findSecrets } from "../secrets/queries.ts";
import { secretsOf } from "./secretSealing.ts";

export const listSecrets: Handler<"listSecrets"> = async ({ caller }, deps) => {
  secretsOf(deps);
  return { status: 200, body: { secrets: await findSecrets(deps.sql, caller.tenant.id) } };
};
