import type { Handler } from "../../handler.ts";
import { findDefinitions } from "../../processes/definitions/list.ts";

export const listProcessDefinitions: Handler<"listProcessDefinitions"> = async ({ caller }, { sql }) => ({
  status: 200,
  body: { process_definitions: await findDefinitions(sql, caller.tenant.id) },
});
