import type { Deps } from "../../deps.ts";
import { bindsAny } from "../../files/attachments/actor.ts";
import { commitAttachments } from "../../files/attachments/commit.ts";
import type { Handler } from "../../handler.ts";
import { takingPart } from "../../processes/roots.ts";
import type { Caller } from "../../tenants/caller.ts";

/** Administrators and engines finalize any upload. Other users finalize their own, and others as `bindable` allows. */
export const finalizeAttachments: Handler<"finalizeAttachments"> = async ({ body, caller }, deps) => {
  const to = {
    tenantId: caller.tenant.id,
    processInstanceId: body.process_instance_id || null,
    taskId: body.task_id || null,
    actor: bindsAny(caller) ? undefined : { user: caller.subject },
    bindable: (ids: readonly string[]) => bindable(deps, caller, ids),
  };
  return { status: 200, body: await commitAttachments(deps.sql, body.attachment_ids, to) };
};

/** The instances that the user started or takes part in, and those of other engines, of which nothing is known here. */
async function bindable(deps: Deps, caller: Caller, ids: readonly string[]): Promise<readonly string[]> {
  const starters = await deps.engine.findStarters(caller.tenant, ids);
  const open = (id: string) => !starters.has(id) || starters.get(id) === caller.subject;
  const closed = ids.filter((id) => !open(id)).map((id) => id.toLowerCase());
  const taking = closed.length === 0 ? [] : await takingPart(deps, caller, closed);
  return ids.filter((id) => open(id) || taking.includes(id.toLowerCase()));
}
