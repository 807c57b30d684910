import { storeDraft } from "../../files/attachments/draft.ts";
import type { Handler } from "../../handler.ts";

export const uploadAttachment: Handler<"uploadAttachment"> = async ({ body, caller }, deps) => {
  const metadata = await storeDraft(
    body.file,
    {
      tenantId: caller.tenant.id,
      processKey: body.process_key,
      fieldName: body.field_name,
      processInstanceId: body.process_instance_id || null,
      taskId: body.task_id || null,
      actor: { user: caller.subject },
    },
    deps,
  );
  return { status: 201, body: metadata };
};
