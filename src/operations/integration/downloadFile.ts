import { findUpload } from "../../files/stored/queries.ts";
import { sendStoredFile } from "../../files/stored/send.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { isUuid } from "../../infrastructure/uuid.ts";

export const downloadFile: Handler<"downloadFile"> = async ({ params, caller }, deps) => {
  const id = params.file_id;
  const file = isUuid(id) ? await findUpload(deps.sql, caller.tenant.id, id) : undefined;
  if (!file) throw new Problem("file_not_found");
  return sendStoredFile(deps, file, { gone: "file_not_found" });
};
