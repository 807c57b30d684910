import type { Handler } from "../handler.ts";
import { Problem } from "../problem.ts";
import { discussionFor } from "./discussion.ts";
import { deleteParticipant } from "./queries.ts";

export const removeParticipant: Handler<"removeParticipant"> = async ({ params, caller }, { sql }) => {
  const discussion = await discussionFor(sql, caller, params.process_instance_id);
  if (!(await deleteParticipant(sql, discussion, params.user))) throw new Problem("participant_not_found");
  return { status: 204, body: undefined };
};
