import { readFile } from "node:fs/promises";
import type { ReceivedFile } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { type Fault, Problem } from "../../infrastructure/problem.ts";
import { largestDeployment } from "../../processes/definitions.ts";

/** Reads the texts, which are small. The engine validates them. */
export const deployProcess: Handler<"deployProcess"> = async ({ body, caller, requestId }, { engine }) => {
  const faults: Fault[] = [];
  const text = async (file: ReceivedFile, pointer: string, maxBytes: number) => {
    const read = file.size > maxBytes ? undefined : decode(await readFile(file.path));
    if (read === undefined)
      faults.push({ pointer, detail: `The file is not UTF-8 text of at most ${maxBytes} bytes.` });
    return read ?? "";
  };
  const bpmn = await text(body.bpmn, "/bpmn", largestDeployment.bpmn);
  const forms = await Promise.all(
    (body.form ?? []).map(async (file, index) => ({
      fileName: file.fileName,
      text: await text(file, `/form/${index}`, largestDeployment.form),
    })),
  );
  if (faults.length > 0) throw new Problem("invalid_body", { errors: faults });
  const { tenant, subject: actor } = caller;
  const by = { actor, requestId };
  const { processKey, ...deployed } = await engine.deploy({ tenant, bpmn, forms, by });
  return { status: 201, body: { process_key: processKey, ...deployed, warnings: [...deployed.warnings] } };
};

/** Undefined if the bytes are not UTF-8, or contain U+0000, which PostgreSQL cannot store. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
