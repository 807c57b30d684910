/** Commits drafts to a process: for a form UI that finalizes them, and for an engine that binds them. */

import type { Finalized } from "../../generated/schemas.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { type Binding, commitAll } from "./bindingQueries.ts";

/** Those of the process instances to which the caller may bind uploads of others. */
type Bindable = (processInstanceIds: readonly string[]) => Promise<readonly string[]>;

/**
 * Commits all of them, or none. Own uploads take one statement. `bindable` is asked only if nothing but their uploader
 * keeps the others from being committed. Throws `not_committed` with the ids that cannot be committed.
 */
export async function commitAttachments(
  sql: Queryable,
  ids: readonly string[],
  to: Binding & { readonly bindable?: Bindable | undefined },
): Promise<Finalized> {
  const { actor, bindable } = to;
  let result = await commitAll(sql, ids, to);
  if (actor && bindable && result.ofOthers.length > 0) {
    const instances = await bindable(result.ofOthers);
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
