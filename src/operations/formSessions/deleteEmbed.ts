import { deleteEmbed as deleteRow } from "../../forms/embeds.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { recordSuccess } from "../../tenants/audit.ts";

/** Its sessions end too, because each request of a visitor looks up the embed. */
export const deleteEmbed: Handler<"deleteEmbed"> = async ({ params, caller, requestId }, { sql, log }) => {
  const { tenant, subject } = caller;
  await sql.begin(async (tx) => {
    if (!(await deleteRow(tx, tenant.id, params.embed_id))) throw new Problem("embed_not_found");
    await recordSuccess(tx, {
      tenantId: tenant.id,
      actor: subject,
      action: "delete_embed",
      table: undefined,
      statement: `delete embed ${params.embed_id}`,
      affectedRows: null,
      requestId,
    });
  });
  log.info({ tenant_id: tenant.id, actor: subject, embed_id: params.embed_id }, "Embed deleted");
  return { status: 204, body: undefined };
};
