import { commitAttachments } from "../../files/attachments/commit.ts";
import type { Handler } from "../../handler.ts";

export const bindAttachments: Handler<"bindAttachments"> = async ({ body, caller }, { sql }) => {
  const to = {
    tenantId: caller.tenant.id,
    processInstanceId: body.process_instance_id,
    taskId: body.task_id || null,
  };
  return { status: 200, body: await commitAttachments(sql, body.attachment_ids, to) };
};
