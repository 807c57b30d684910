import { discussionFor } from "../../discussions/discussion.ts";
import { findMessages } from "../../discussions/messages.ts";
import type { Handler } from "../../handler.ts";

export const listMessages: Handler<"listMessages"> = async ({ params, query, caller }, { sql }) => {
  const discussion = await discussionFor(sql, caller, params.process_instance_id);
  const { page = 0, limit = 50 } = query;
  const messages = await findMessages(sql, discussion, { offset: page * limit, limit });
  return { status: 200, body: { messages, page, limit } };
};
