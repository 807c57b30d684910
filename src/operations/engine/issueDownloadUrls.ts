import { issueDownloadUrls as issue } from "../../files/attachments/issue.ts";
import type { Handler } from "../../handler.ts";
import { relatedInstances } from "../../processes/roots.ts";

/** For files of the instance, of its root, and of any instance that the root has called. */
export const issueDownloadUrls: Handler<"issueDownloadUrls"> = async ({ body, caller }, deps) => {
  const { tenant } = caller;
  const { process_instance_id: processInstanceId, attachment_ids: attachmentIds } = body;
  const urls = await issue(deps, {
    tenantId: tenant.id,
    processInstanceId,
    attachmentIds,
    relatedInstances: await relatedInstances(deps, { tenant, processInstanceId }, attachmentIds),
  });
  return { status: 201, body: { urls } };
};
