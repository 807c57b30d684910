import type { Sql } from "../infrastructure/database/connect.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { Caller } from "../tenants/caller.ts";
import { type Discussion, isParticipant } from "./participants.ts";

/** The discussion, if the caller may manage it. Throws `discussion_not_found` for anybody else. */
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
