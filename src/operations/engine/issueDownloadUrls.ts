import { issueDownloadUrls as issue } from "../../files/attachments/issue.ts";
import type { Handler } from "../../handler.ts";

export const issueDownloadUrls: Handler<"issueDownloadUrls"> = async ({ body, caller }, deps) => {
  const urls = await issue(deps, {
    tenantId: caller.tenant.id,
    processInstanceId: body.process_instance_id,
    attachmentIds: body.attachment_ids,
  });
  return { status: 201, body: { urls } };
};
