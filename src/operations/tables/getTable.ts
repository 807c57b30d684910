import type { Handler } from "../../handler.ts";
import { tableNotFound } from "../../tables/definition.ts";
import { findRecord } from "../../tables/queries.ts";

export const getTable: Handler<"getTable"> = async ({ params, caller }, { sql }) => {
  const record = await findRecord(sql, caller.tenant.schema, params.table);
  if (!record) throw tableNotFound(params.table);
  return { status: 200, body: { success: true, message: `Table "${params.table}".`, data: record } };
};
