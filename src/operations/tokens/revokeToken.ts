import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { insertRevocation, maxRevocations } from "../../tenants/tokenRevocations/queries.ts";
import { rememberRevocation } from "../../tenants/tokenRevocations/revocationCache.ts";

/** Revokes only in the caller's tenant. Other tenants of the token have their own administrators. */
export const revokeToken: Handler<"revokeToken"> = async ({ body, caller, requestId }, { sql, caches }) => {
  const { jti } = body;
  const { tenant, subject: actor } = caller;
  const expiresAt = momentOf(body.expires_at);
  const { is_new, ...revocation } = await sql.begin(async (tx) => {
    const row = await insertRevocation(tx, { tenantId: tenant.id, jti, expiresAt, revokedBy: actor });
    if (!row) throw tooMany();
    await recordSuccess(tx, {
      tenantId: tenant.id,
      actor,
      action: "revoke_token",
      table: undefined,
      statement: `revoke token ${JSON.stringify(jti)} until ${row.expires_at ?? "further notice"}`,
      affectedRows: row.is_new ? 1 : 0,
      requestId,
    });
    return row;
  });
  rememberRevocation(caches, tenant.id, jti);
  return { status: 200, body: revocation };
};

/** ISO 8601 in UTC. Null if there is none. */
function momentOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) throw notAMoment();
  return moment.toISOString();
}

const notAMoment = () =>
  new Problem("invalid_body", {
    errors: [{ pointer: "/expires_at", detail: "It must be an existing date and time." }],
  });

const tooMany = () =>
  new Problem("too_many_revocations", {
    message: `The tenant has reached its limit of ${maxRevocations} unexpired revocations.`,
  });
