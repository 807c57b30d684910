import type { Handler } from "../../handler.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { findInstances, isDeployed } from "../../processes/reports.ts";

/** The process is looked up first: only a table that a deployment made is ever named. */
export const listReportInstances: Handler<"listReportInstances"> = async (
  { params, query, caller },
  { sql },
) => {
  const { page = 0, limit = 50 } = query;
  const { tenant } = caller;
  const processKey = params.processDefinitionKey;
  if (!(await isDeployed(sql, tenant.id, processKey))) throw new Problem("process_not_found");
  const { total, instances } = await findInstances(sql, tenant.id, {
    processKey,
    offset: page * limit,
    limit,
  });
  const message = `${pluralize(total, "instance")} in all.`;
  const data = { instances, page, limit, total };
  return { status: 200, body: { success: true, message, data } };
};
