import { download } from "../../files/download.ts";
import { findUpload, storedFiles } from "../../files/stored/queries.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { isUuid } from "../../infrastructure/uuid.ts";

export const downloadFile: Handler<"downloadFile"> = async ({ params, caller }, deps) => {
  const id = params.file_id;
  const file = isUuid(id) ? await findUpload(deps.sql, caller.tenant.id, id) : undefined;
  if (!file) throw new Problem("file_not_found");
  return download(deps, file, { kind: storedFiles, notFound: "file_not_found" });
};
