import { discussionFor } from "../../discussions/discussion.ts";
import { deleteParticipant } from "../../discussions/participants.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { recordSuccess } from "../../tenants/audit.ts";

export const removeParticipant: Handler<"removeParticipant"> = async (
  { params, caller, requestId },
  { sql },
) => {
  const discussion = await discussionFor(sql, caller, params.process_instance_id);
  const { tenantId, processInstanceId } = discussion;
  await sql.begin(async (tx) => {
    if (!(await deleteParticipant(tx, discussion, params.user))) throw new Problem("participant_not_found");
    await recordSuccess(tx, {
      tenantId,
      actor: caller.subject,
      action: "remove_participant",
      table: undefined,
      statement: `remove participant ${params.user} from process instance ${processInstanceId}`,
      affectedRows: null,
      requestId,
    });
  });
  return { status: 204, body: undefined };
};
