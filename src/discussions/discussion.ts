import type { Sql } from "../database/connect.ts";
import type { Caller } from "../handler.ts";
import { type Discussion, isParticipant } from "../participants/queries.ts";
import { Problem } from "../problem.ts";

/** The discussion, for those who may manage it. Throws `discussion_not_found` for anybody else. */
export async function discussionFor(
  sql: Sql,
  caller: Caller,
  processInstanceId: string,
): Promise<Discussion> {
  const discussion = { tenantId: caller.tenant.id, processInstanceId };
  const manages = caller.roles.some((role) => role === "admin_sop" || role === "engine");
  if (manages || (await isParticipant(sql, discussion, caller.subject))) return discussion;
  throw new Problem("discussion_not_found");
}
