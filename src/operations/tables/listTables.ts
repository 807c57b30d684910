import type { Handler } from "../../handler.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { listDroppedTables } from "../../tables/changing/dropped.ts";
import { listRecords } from "../../tables/queries.ts";

export const listTables: Handler<"listTables"> = async ({ query, caller }, { sql }) => {
  const list = query.$dropped ? listDroppedTables : listRecords;
  const { count, tables } = await list(sql, caller.tenant.schema);
  return {
    status: 200,
    body: {
      success: true,
      message: `${pluralize(count, query.$dropped ? "dropped table" : "table")}.`,
      data: { tables },
    },
  };
};
