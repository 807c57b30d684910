import { storeDraft } from "../../files/attachments/draft.ts";
import type { Handler } from "../../handler.ts";

export const uploadPublicAttachment: Handler<"uploadPublicAttachment"> = async (
  { body, caller, address = "" },
  deps,
) => {
  const { id, tenant, processKey, expiresAt, embedId } = caller;
  const metadata = await storeDraft(
    body.file,
    {
      tenantId: tenant.id,
      processKey,
      fieldName: body.field_name,
      processInstanceId: null,
      taskId: null,
      actor: { session: { id, tenantId: tenant.id, expiresAt, embedId, address } },
    },
    deps,
  );
  return { status: 201, body: metadata };
};
