import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

export const listProcessVersions: Handler<"listProcessVersions"> = async (
  { params, query, caller },
  { engine },
) => {
  const { page = 0, limit = 50 } = query;
  const versions = await engine.listVersions(caller.tenant, params.process_key, {
    offset: page * limit,
    limit,
  });
  if (!versions) throw new Problem("process_not_found");
  return { status: 200, body: versions };
};
