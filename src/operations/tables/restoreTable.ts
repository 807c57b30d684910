import type { Handler } from "../../handler.ts";
import { isNameInUse, nameInUse } from "../../tables/changing/nameInUse.ts";
import { definitionTag } from "../../tables/changing/prepare.ts";
import { type Restored, restoreTable as restore } from "../../tables/changing/restore.ts";

/** Brings the table back, with its registry entry, and adds the audit record in one transaction. */
export const restoreTable: Handler<"restoreTable"> = async (request, deps) => {
  const { params, body, caller, requestId, idempotency } = request;
  const { table: tableId } = params;
  const answerOf = (restored: Restored) => answer(tableId, restored);
  const once = idempotency && { request: idempotency, answerOf };
  const { tenant, subject: actor } = caller;
  try {
    return answerOf(await restore(deps, { tenant, tableId, name: body.name, actor, requestId, once }));
  } catch (error) {
    throw isNameInUse(error) ? nameInUse(body.name ?? String(tableId), "/name") : error;
  }
};

function answer(id: number, { table, name, version, lostReferences }: Restored) {
  const lost = lostReferences.slice(0, 20).map((column) => `"${column}"`);
  const without = lost.length > 0 ? `, without the references of these columns: ${lost.join(", ")}` : "";
  const body = { success: true, message: `Table "${name}" was restored${without}.`, data: table } as const;
  return { status: 200, headers: { ETag: definitionTag({ id, version }) }, body } as const;
}
