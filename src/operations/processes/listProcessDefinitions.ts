import type { Handler } from "../../handler.ts";

export const listProcessDefinitions: Handler<"listProcessDefinitions"> = async ({ caller }, { engine }) => ({
  status: 200,
  body: { process_definitions: await engine.listDefinitions(caller.tenant) },
});
