import { createHash } from "node:crypto";
import { fileHeaders } from "../../files/download.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { instanceFor } from "../../processes/instances.ts";

/**
 * Sends the content of a variable of type File. Its uploader chose the media type and nobody has inspected the content,
 * so it is sent as plain bytes, to be saved and not shown.
 */
export const downloadTaskFile: Handler<"downloadTaskFile"> = async ({ params, caller }, deps) => {
  const { processInstanceId, processKey, variableName: name } = params;
  const instance = await instanceFor(deps, caller, processInstanceId);
  const isNamed = instance?.processKey === processKey;
  const file = isNamed ? await deps.engine.readFile(caller.tenant, { processInstanceId, name }) : undefined;
  if (!file) throw new Problem("variable_not_found");
  const sha256 = createHash("sha256").update(file.content).digest("hex");
  const headers = fileHeaders({ fileName: file.name, mimeType: "application/octet-stream", sha256 });
  return { status: 200, headers, body: new Blob([file.content as Uint8Array<ArrayBuffer>]) };
};
