import type { Handler } from "../../handler.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { Problem } from "../../infrastructure/problem.ts";

export const listReportInstances: Handler<"listReportInstances"> = async (
  { params, query, caller },
  { engine },
) => {
  const { processDefinitionKey: processKey } = params;
  const { page = 0, limit = 50 } = query;
  const found = await engine.listReportInstances(caller.tenant, { processKey, offset: page * limit, limit });
  if (!found) throw new Problem("process_not_found");
  const { total, instances } = found;
  const message = `${pluralize(total, "instance")} in all.`;
  return { status: 200, body: { success: true, message, data: { instances, page, limit, total } } };
};
