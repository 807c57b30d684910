import { discardDraft } from "../../files/attachments/discard.ts";
import type { Handler } from "../../handler.ts";

export const deletePublicAttachment: Handler<"deletePublicAttachment"> = async ({ params, caller }, deps) => {
  const { tenant } = caller;
  await discardDraft(deps, { tenantId: tenant.id, id: params.attachment_id, actor: { session: caller } });
  return { status: 204, body: undefined };
};
