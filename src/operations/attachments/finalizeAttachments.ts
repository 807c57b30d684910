import type { Deps } from "../../deps.ts";
import { isParticipant } from "../../discussions/participants.ts";
import { bindsAny } from "../../files/attachments/actor.ts";
import { commitAttachments } from "../../files/attachments/commit.ts";
import type { Handler } from "../../handler.ts";
import type { Caller } from "../../tenants/caller.ts";

/** Administrators and engines finalize any upload. Other users finalize own uploads, and others as `mayBindTo` says. */
export const finalizeAttachments: Handler<"finalizeAttachments"> = async ({ body, caller }, deps) => {
  const to = {
    tenantId: caller.tenant.id,
    processInstanceId: body.process_instance_id || null,
    taskId: body.task_id || null,
    actor: bindsAny(caller) ? undefined : { user: caller.subject },
    mayBindTo: (id: string) => mayBindTo(deps, caller, id),
  };
  return { status: 200, body: await commitAttachments(deps.sql, body.attachment_ids, to) };
};

/** An instance that the user started or takes part in, or one of another engine, of which nothing is known here. */
async function mayBindTo({ sql, engine }: Deps, { tenant, subject }: Caller, id: string): Promise<boolean> {
  const instance = await engine.findInstance(tenant, id);
  if (!instance || instance.startedBy === subject) return true;
  const { processInstanceId } = instance;
  return isParticipant(sql, { tenantId: tenant.id, processInstanceId }, subject);
}
