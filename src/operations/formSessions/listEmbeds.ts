import { embedUrl, findEmbeds } from "../../forms/embeds.ts";
import type { Handler } from "../../handler.ts";

export const listEmbeds: Handler<"listEmbeds"> = async ({ query, caller }, { sql, config }) => {
  const { process_key: processKey = null, page = 0, limit = 50 } = query;
  const wanted = { tenantId: caller.tenant.id, processKey, address: embedUrl(config, "") };
  return { status: 200, body: await findEmbeds(sql, wanted, { offset: page * limit, limit }) };
};
