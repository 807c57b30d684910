import type { Deps } from "../../deps.ts";
import type { Attachment } from "../../files/attachments/attachment.ts";
import { attachments, findAttachment } from "../../files/attachments/queries.ts";
import { download } from "../../files/download.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { isUuid } from "../../infrastructure/uuid.ts";
import { takingPart } from "../../processes/roots.ts";
import type { Caller } from "../../tenants/caller.ts";

/**
 * For the uploader and the participants of the discussion of its instance or of the root. For others it does not
 * exist.
 */
export const downloadAttachment: Handler<"downloadAttachment"> = async ({ params, caller }, deps) => {
  const id = params.attachment_id;
  const attachment = isUuid(id) ? await findAttachment(deps.sql, caller.tenant.id, id) : undefined;
  if (!attachment || !(await mayRead(deps, attachment, caller))) throw new Problem("attachment_not_found");
  return download(deps, attachment, { kind: attachments, notFound: "attachment_not_found" });
};

async function mayRead(deps: Deps, attachment: Attachment, caller: Caller): Promise<boolean> {
  const { state, processInstanceId, uploader } = attachment;
  if (uploader === caller.subject) return true;
  // A draft may name an instance too, but does not belong to it yet.
  if (state === "draft" || processInstanceId === null) return false;
  return (await takingPart(deps, caller, [processInstanceId])).length > 0;
}
