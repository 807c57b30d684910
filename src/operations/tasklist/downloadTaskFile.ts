import { createHash } from "node:crypto";
import { fileHeaders } from "../../files/download.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { instanceFor } from "../../processes/instances.ts";
import { readFile } from "../../processes/variables/queries.ts";

/**
 * An old file. Its type is whatever its uploader said, and nobody has looked into it: it goes out as bytes, to be saved
 * and not to be shown.
 */
export const downloadTaskFile: Handler<"downloadTaskFile"> = async ({ params, caller }, { sql }) => {
  const instance = await instanceFor(sql, caller, params.processInstanceId);
  const isNamed = instance?.processKey === params.processKey;
  const file = isNamed ? await readFile(sql, instance.id, params.variableName) : undefined;
  if (!file) throw new Problem("variable_not_found");
  const sha256 = createHash("sha256").update(file.content).digest("hex");
  const headers = fileHeaders({ fileName: file.name, mimeType: "application/octet-stream", sha256 });
  return { status: 200, headers, body: new Blob([file.content as Uint8Array<ArrayBuffer>]) };
};
