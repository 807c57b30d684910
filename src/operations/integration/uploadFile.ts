import { inspectUpload } from "../../files/inspectUpload.ts";
import { incoming, storeFile } from "../../files/stored/store.ts";
import type { Handler } from "../../handler.ts";

export const uploadFile: Handler<"uploadFile"> = async ({ body, caller }, deps) => {
  const verified = await inspectUpload(body.file, deps, { tenantId: caller.tenant.id });
  const file = incoming(verified, {
    tenantId: caller.tenant.id,
    uploadedBy: caller.subject,
    messageId: null,
  });
  await storeFile(file, deps);
  return { status: 201, body: { path: `/api/v1/integration/files/${file.row.id}` } };
};
