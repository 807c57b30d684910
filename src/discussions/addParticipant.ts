import type { Handler } from "../handler.ts";
import { discussionFor } from "./discussion.ts";
import { insertParticipant } from "./queries.ts";

export const addParticipant: Handler<"addParticipant"> = async ({ params, body, caller }, { sql }) => {
  const discussion = await discussionFor(sql, caller, params.process_instance_id);
  const participant = await insertParticipant(sql, discussion, { user: body.user, addedBy: caller.subject });
  return { status: 201, body: participant };
};
