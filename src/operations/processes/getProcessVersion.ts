import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { shownTo } from "../../processes/definitions.ts";

export const getProcessVersion: Handler<"getProcessVersion"> = async ({ params, caller }, { engine }) => {
  const { process_key: key, version } = params;
  const definition = await engine.findVersion(caller.tenant, key, version);
  if (!definition) {
    const message = `The process "${key}" has no version ${version}.`;
    throw new Problem("process_not_found", { message });
  }
  return { status: 200, body: await shownTo(caller, { engine, definition }) };
};
