/** Commits drafts to a process: for a form UI that finalizes them, and for an engine that binds them. */

import type { Finalized } from "../../generated/schemas.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { type Binding, commitAll } from "./queries.ts";

/** Whether the caller may bind uploads of others to this instance. */
type MayBindTo = (processInstanceId: string) => Promise<boolean>;

/**
 * Commits all of them, or none. Own uploads take one statement; `mayBindTo` is asked only if the caller does not own
 * all of them. Throws `not_committed` with the ids that cannot be committed.
 */
export async function commitAttachments(
  sql: Queryable,
  ids: readonly string[],
  to: Binding & { readonly mayBindTo?: MayBindTo | undefined },
): Promise<Finalized> {
  const { actor, mayBindTo = async () => false } = to;
  let result = await commitAll(sql, ids, to);
  if (actor && !result.committed) {
    const instances: string[] = [];
    for (const id of result.named) if (await mayBindTo(id)) instances.push(id);
    if (instances.length > 0) result = await commitAll(sql, ids, { ...to, actor: { ...actor, instances } });
  }
  if (!result.committed) throw notCommitted(result.notCommitted);
  const committed = [...new Set(ids.map((id) => id.toLowerCase()))];
  return { committed, process_instance_id: result.processInstanceId, task_id: result.taskId };
}

export function notCommitted(ids: readonly string[]): Problem {
  const [exist, belong] = ids.length === 1 ? ["does", "belongs"] : ["do", "belong"];
  const attachments = pluralize(ids.length, "attachment");
  return new Problem("not_committed", {
    message: `${attachments} ${exist} not exist or ${belong} to another process. Nothing was changed.`,
    members: { not_committed: ids },
  });
}
