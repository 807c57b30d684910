import type { Handler } from "../../handler.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { listRecords } from "../../tables/queries.ts";

export const listTables: Handler<"listTables"> = async ({ caller }, { sql }) => {
  const { count, tables } = await listRecords(sql, caller.tenant.schema);
  return {
    status: 200,
    body: {
      success: true,
      message: `${pluralize(count, "table")}.`,
      data: { tables },
    },
  };
};
