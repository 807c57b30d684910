import { bindsAny } from "../../files/attachments/actor.ts";
import { commitAttachments } from "../../files/attachments/commit.ts";
import type { Handler } from "../../handler.ts";

/**
 * Members finalize own uploads, and those of others for an instance that they name and may write to; an instance of
 * another engine is not known here, so any member may name it. Administrators and engines finalize any.
 */
export const finalizeAttachments: Handler<"finalizeAttachments"> = async ({ body, caller }, { sql }) => {
  const to = {
    tenantId: caller.tenant.id,
    processInstanceId: body.process_instance_id || null,
    taskId: body.task_id || null,
    actor: bindsAny(caller) ? undefined : { user: caller.subject, forOthers: true },
  };
  return { status: 200, body: await commitAttachments(sql, body.attachment_ids, to) };
};
