import { findEmbeds } from "../embeds/queries.ts";
import type { Handler } from "../handler.ts";
import { embedUrl } from "./embedUrl.ts";

export const listEmbeds: Handler<"listEmbeds"> = async ({ query, caller }, { sql, config }) => {
  const { process_key: processKey = null, page = 0, limit = 50 } = query;
  const wanted = { tenantId: caller.tenant.id, processKey, address: embedUrl(config, "") };
  return { status: 200, body: await findEmbeds(sql, wanted, { offset: page * limit, limit }) };
};
