import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { upsertAddon } from "../../processes/addons.ts";
import { recordSuccess } from "../../tenants/audit.ts";

/** The address is checked when it is called, because a host name may resolve to another address by then. */
export const putAddon: Handler<"putAddon"> = async ({ params, body, caller, requestId }, { sql, log }) => {
  const { host } = requireUsable(body.url);
  const { tenant, subject } = caller;
  const { key } = params;
  // Audit trail and log get only the host, because the rest of the URL may hold a secret.
  const addon = await sql.begin(async (tx) => {
    const put = await upsertAddon(tx, { tenantId: tenant.id, key, url: body.url, updatedBy: subject });
    await recordSuccess(tx, {
      tenantId: tenant.id,
      actor: subject,
      action: "put_addon",
      table: undefined,
      statement: `put addon ${key} at ${host}`,
      affectedRows: null,
      requestId,
    });
    return put;
  });
  log.info({ tenant_id: tenant.id, actor: subject, addon: key, host }, "Addon registered");
  return { status: 200, body: addon };
};

function requireUsable(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw refused("It must be a URL.");
  if (url.username || url.password) throw refused("It must not contain credentials.");
  return url;
}

const refused = (detail: string) => new Problem("invalid_body", { errors: [{ pointer: "/url", detail }] });
