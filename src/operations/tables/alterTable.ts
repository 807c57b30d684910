import type { Handler } from "../../handler.ts";
import { alterTable as alter, type Changed, planAlteration } from "../../tables/changing/alter.ts";
import { isNameInUse, nameInUse } from "../../tables/changing/nameInUse.ts";

/**
 * Changes the table and its registry entry, and adds the audit record, in one transaction. Or says what it would do.
 */
export const alterTable: Handler<"alterTable"> = async (request, deps) => {
  const { params, query, body: alteration, headers, caller, requestId, idempotency } = request;
  const { $dry_run: isDryRun = false, $purge: purge = false, confirm: confirmed = false } = query;
  const { table } = params;
  const answerOf = (changed: Changed) => answer(table, changed, isDryRun);
  const change = {
    tenant: caller.tenant,
    table,
    alteration,
    ifMatch: headers["if-match"],
    confirmed,
    purge,
    actor: caller.subject,
    requestId,
    once: idempotency && { request: idempotency, answerOf },
  };
  try {
    return answerOf(await (isDryRun ? planAlteration(deps, change) : alter(deps, change)));
  } catch (error) {
    throw isNameInUse(error) ? nameInUse(alteration.rename_to ?? table, "/rename_to") : error;
  }
};

function answer(name: string, { plan, table, tag }: Changed, isDryRun: boolean) {
  const could = plan.failures.length > 0 ? "cannot be changed like this" : "can be changed like this";
  const message = `Table "${name}" ${isDryRun ? could : "was changed"}.`;
  const body = { success: true, message, data: { table, plan } } as const;
  return { status: 200, headers: { ETag: tag }, body } as const;
}
