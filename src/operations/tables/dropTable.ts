import type { TableRecord } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import type { JsonText } from "../../infrastructure/jsonText.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { dropTable as drop, purgeTable } from "../../tables/changing/drop.ts";

/** Drops the table, takes it from the registry and adds the audit record in one transaction. */
export const dropTable: Handler<"dropTable"> = async (request, deps) => {
  const { params, query, headers, caller, requestId, idempotency } = request;
  if (query.confirm !== true) throw notConfirmed();
  const { table } = params;
  const { $purge: purge = false } = query;
  const answerOf = (data: JsonText<TableRecord>) => {
    const body = { success: true, message: `Table "${table}" was dropped.`, data } as const;
    return { status: 200, body } as const;
  };
  const once = idempotency && { request: idempotency, answerOf };
  const dropped = { tenant: caller.tenant, actor: caller.subject, requestId, once };
  // The name of a table begins with a letter, so a number is the id of a dropped one.
  const isDropped = purge && /^[1-9]\d{0,15}$/.test(table);
  const ifMatch = headers["if-match"];
  if (isDropped && ifMatch !== undefined) throw noTag();
  const record = isDropped
    ? await purgeTable(deps, { ...dropped, tableId: Number(table) })
    : await drop(deps, { ...dropped, table, purge, ifMatch });
  return answerOf(record);
};

const noTag = () =>
  new Problem("invalid_parameter", {
    errors: [{ pointer: "/header/if-match", detail: "A table that was dropped before has no ETag." }],
  });

const notConfirmed = () =>
  new Problem("confirmation_required", {
    message:
      "Dropping a table removes it with all its rows. To confirm, add confirm=true. Nothing was changed.",
  });
