import type { Deps } from "../../deps.ts";
import { isParticipant } from "../../discussions/participants.ts";
import type { Attachment } from "../../files/attachments/attachment.ts";
import { findAttachment } from "../../files/attachments/queries.ts";
import { openAttachment } from "../../files/attachments/send.ts";
import { fileHeaders } from "../../files/send.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { isUuid } from "../../infrastructure/uuid.ts";

/** For the uploader and the participants of the process instance's discussion; for others it does not exist. */
export const downloadAttachment: Handler<"downloadAttachment"> = async ({ params, caller }, deps) => {
  const { tenant, subject: user } = caller;
  const id = params.attachment_id;
  const attachment = isUuid(id) ? await findAttachment(deps.sql, tenant.id, id) : undefined;
  if (!attachment || !(await mayRead(deps, attachment, user))) throw new Problem("attachment_not_found");
  return { status: 200, headers: fileHeaders(attachment), body: await openAttachment(deps, attachment) };
};

async function mayRead({ sql }: Deps, attachment: Attachment, user: string): Promise<boolean> {
  const { tenantId, state, processInstanceId, uploader } = attachment;
  if (uploader === user) return true;
  // A draft may name an instance too, but is no part of it yet.
  if (state === "draft" || processInstanceId === null) return false;
  return isParticipant(sql, { tenantId, processInstanceId }, user);
}
