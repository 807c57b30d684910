/** Drafts become part of a process: the same for a form UI that finalizes and an engine that binds (design 8). */

import type { Finalized } from "../../generated/schemas.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { type Binding, commitAll } from "./queries.ts";

/** All of them or none. Throws `not_committed` with those that stand in the way. */
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
  return new Problem("not_committed", {
    message: `${pluralize(ids.length, "attachment")} ${ids.length === 1 ? "is" : "are"} not there to be taken, or taken already. Nothing was changed.`,
    members: { not_committed: ids },
  });
}
