import { discussionFor } from "../../discussions/discussion.ts";
import { findParticipants } from "../../discussions/participants.ts";
import type { Handler } from "../../handler.ts";

export const listParticipants: Handler<"listParticipants"> = async ({ params, caller }, { sql }) => {
  const discussion = await discussionFor(sql, caller, params.process_instance_id);
  return { status: 200, body: { participants: await findParticipants(sql, discussion) } };
};
