import type { Deps } from "../deps.ts";
import { fileHeaders } from "../files/send.ts";
import type { Attachment } from "../formFiles/attachment.ts";
import { findAttachment } from "../formFiles/queries.ts";
import { openAttachment } from "../formFiles/send.ts";
import type { Handler } from "../handler.ts";
import { isParticipant } from "../participants/queries.ts";
import { Problem } from "../problem.ts";
import { isUuid } from "../uuid.ts";

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
