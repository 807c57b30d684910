import type { Handler } from "../../handler.ts";
import { unstorable } from "../../infrastructure/json.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { lockTenant } from "../../tenants/queries.ts";
import { upsertSecret } from "../../tenants/secrets/queries.ts";
import { contextOf, mostSecrets, requireSealing } from "../../tenants/secrets/secrets.ts";

const longestBytes = 8_192;

/** The value is stored only in its row, sealed. */
export const putSecret: Handler<"putSecret"> = async ({ params, body, caller, requestId }, deps) => {
  const sealing = requireSealing(deps);
  requireStorable(body.value);
  const { name } = params;
  const { tenant, subject: actor } = caller;
  const sealed = sealing.seal(body.value, contextOf(tenant.id, name));
  const row = { tenantId: tenant.id, name, sealed, updatedBy: actor, most: mostSecrets };
  const secret = await deps.sql.begin(async (tx) => {
    await lockTenant(tx, tenant.id);
    const stored = await upsertSecret(tx, row);
    if (!stored)
      throw new Problem("too_many_secrets", { message: `A tenant has at most ${mostSecrets} secrets.` });
    const statement = `put secret ${JSON.stringify(name)}`;
    const change = { action: "put_secret", table: undefined, statement, affectedRows: 1 } as const;
    await recordSuccess(tx, { ...change, tenantId: tenant.id, actor, requestId });
    return stored;
  });
  return { status: 200, body: secret };
};

function requireStorable(value: string): void {
  const detail =
    Buffer.byteLength(value) > longestBytes
      ? `It must have at most ${longestBytes} bytes in UTF-8.`
      : unstorable(value);
  if (detail) throw new Problem("invalid_body", { errors: [{ pointer: "/value", detail }] });
}
