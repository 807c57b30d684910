import { upsertAddon } from "../addons/queries.ts";
import type { Handler } from "../handler.ts";
import { Problem } from "../problem.ts";

/** Whether the address may be called is judged when it is called: what a name resolves to changes. */
export const putAddon: Handler<"putAddon"> = async ({ params, body, caller }, { sql, log }) => {
  const { host } = usable(body.url);
  const { tenant, subject } = caller;
  const { key } = params;
  const addon = await upsertAddon(sql, { tenantId: tenant.id, key, url: body.url, updatedBy: subject });
  // Without the rest of the URL, which may hold a secret.
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
