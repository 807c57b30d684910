import { discardDraft } from "../../files/attachments/discard.ts";
import type { Handler } from "../../handler.ts";

export const deleteAttachment: Handler<"deleteAttachment"> = async ({ params, caller }, deps) => {
  const { tenant, subject: user } = caller;
  await discardDraft(deps, { tenantId: tenant.id, id: params.attachment_id, actor: { user } });
  return { status: 204, body: undefined };
};
