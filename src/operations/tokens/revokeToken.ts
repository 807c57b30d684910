import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { insertRevocation, maxRevocations } from "../../tenants/tokenRevocations/queries.ts";
import { rememberRevocation } from "../../tenants/tokenRevocations/revocationCache.ts";

/** Revokes for the caller's tenant only: another tenant that the token names has administrators who decide for it. */
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

/** Null where there is none. */
function momentOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) throw noMoment();
  return moment.toISOString();
}

const noMoment = () =>
  new Problem("invalid_body", {
    errors: [{ pointer: "/expires_at", detail: "It must be a moment that the calendar has." }],
  });

const tooMany = () =>
  new Problem("too_many_revocations", {
    message: `The tenant has ${maxRevocations} revocations that have not expired, the most that it may have.`,
  });
