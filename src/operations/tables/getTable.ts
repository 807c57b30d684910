import type { Handler } from "../../handler.ts";
import { listDroppedColumns } from "../../tables/changing/dropped.ts";
import { tableNotFound } from "../../tables/definition.ts";
import { findRecord } from "../../tables/queries.ts";

export const getTable: Handler<"getTable"> = async ({ params, query, caller }, { sql }) => {
  const { table } = params;
  const { schema } = caller.tenant;
  const found = await findRecord(sql, schema, table);
  if (!found) throw tableNotFound(table);
  const { tag, ...record } = found;
  const dropped = query.$dropped ? await listDroppedColumns(sql, schema, table) : undefined;
  const data = dropped
    ? { jsonText: `${record.jsonText.slice(0, -1)},"dropped_columns":${dropped.jsonText}}` }
    : record;
  return {
    status: 200,
    headers: { ETag: tag },
    body: { success: true, message: `Table "${table}".`, data },
  };
};
