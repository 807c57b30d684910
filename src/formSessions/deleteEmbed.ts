import { deleteEmbed as deleteRow } from "../embeds/queries.ts";
import type { Handler } from "../handler.ts";
import { Problem } from "../problem.ts";

/** The sessions that began there end with it: each request of a visitor looks for the embed. */
export const deleteEmbed: Handler<"deleteEmbed"> = async ({ params, caller }, { sql, log }) => {
  const { tenant, subject } = caller;
  if (!(await deleteRow(sql, tenant.id, params.embed_id))) throw new Problem("embed_not_found");
  log.info({ tenant_id: tenant.id, actor: subject, embed_id: params.embed_id }, "an embed was removed");
  return { status: 204, body: undefined };
};
