import type { Deps } from "../../deps.ts";
import { isParticipant } from "../../discussions/participants.ts";
import type { Attachment } from "../../files/attachments/attachment.ts";
import { attachments, findAttachment } from "../../files/attachments/queries.ts";
import { download } from "../../files/download.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { isUuid } from "../../infrastructure/uuid.ts";

/** For the uploader and the participants of the process instance's discussion. For others it does not exist. */
export const downloadAttachment: Handler<"downloadAttachment"> = async ({ params, caller }, deps) => {
  const { tenant, subject: user } = caller;
  const id = params.attachment_id;
  const attachment = isUuid(id) ? await findAttachment(deps.sql, tenant.id, id) : undefined;
  if (!attachment || !(await mayRead(deps, attachment, user))) throw new Problem("attachment_not_found");
  return download(deps, attachment, { kind: attachments, notFound: "attachment_not_found" });
};

async function mayRead({ sql }: Deps, attachment: Attachment, user: string): Promise<boolean> {
  const { tenantId, state, processInstanceId, uploader } = attachment;
  if (uploader === user) return true;
  // A draft may name an instance too, but does not belong to it yet.
  if (state === "draft" || processInstanceId === null) return false;
  return isParticipant(sql, { tenantId, processInstanceId }, user);
}
