import { discussionFor } from "../../discussions/discussion.ts";
import { insertParticipant } from "../../discussions/participants.ts";
import type { Handler } from "../../handler.ts";
import { recordSuccess } from "../../tenants/audit.ts";

export const addParticipant: Handler<"addParticipant"> = async (
  { params, body, caller, requestId },
  { sql },
) => {
  const discussion = await discussionFor(sql, caller, params.process_instance_id);
  const { tenantId, processInstanceId } = discussion;
  const actor = caller.subject;
  const participant = await sql.begin(async (tx) => {
    const added = await insertParticipant(tx, discussion, { user: body.user, addedBy: actor });
    await recordSuccess(tx, {
      tenantId,
      actor,
      action: "add_participant",
      table: undefined,
      statement: `add participant ${body.user} to process instance ${processInstanceId}`,
      affectedRows: null,
      requestId,
    });
    return added;
  });
  return { status: 201, body: participant };
};
