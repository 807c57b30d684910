import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { upsertAddon } from "../../processes/addons.ts";
import { recordSuccess } from "../../tenants/audit.ts";

/** Whether the address may be called is judged when it is called: what a name resolves to changes. */
export const putAddon: Handler<"putAddon"> = async ({ params, body, caller, requestId }, { sql, log }) => {
  const { host } = usable(body.url);
  const { tenant, subject } = caller;
  const { key } = params;
  // Neither the trail nor the log has the rest of the URL, which may hold a secret.
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
  log.info({ tenant_id: tenant.id, actor: subject, addon: key, host }, "an addon was registered");
  return { status: 200, body: addon };
};

function usable(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw refused("It is not a URL.");
  if (url.username || url.password) throw refused("It must not hold credentials.");
  return url;
}

const refused = (detail: string) => new Problem("invalid_body", { errors: [{ pointer: "/url", detail }] });
