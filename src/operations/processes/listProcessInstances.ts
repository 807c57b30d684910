import type { Handler } from "../../handler.ts";
import { seesEveryInstance } from "../../processes/instances.ts";

export const listProcessInstances: Handler<"listProcessInstances"> = async (
  { query, caller },
  { engine },
) => {
  const { process_key: processKey, business_key: businessKey, state, page = 0, limit = 50 } = query;
  const visibleTo = seesEveryInstance(caller) ? undefined : caller.subject;
  const wanted = { processKey, businessKey, state, visibleTo, offset: page * limit, limit };
  return { status: 200, body: await engine.listInstances(caller.tenant, wanted) };
};
