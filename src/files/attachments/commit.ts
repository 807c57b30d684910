/** Commits drafts to a process: for a form UI that finalizes them, and for an engine that binds them. */

import type { Finalized } from "../../generated/schemas.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { type Binding, commitAll } from "./queries.ts";

/** Commits all of them, or none. Throws `not_committed` with the ids that cannot be committed. */
export async function commitAttachments(
  sql: Queryable,
  ids: readonly string[],
  to: Binding,
): Promise<Finalized> {
  const result = await commitAll(sql, ids, to);
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
