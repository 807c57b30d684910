/**
 * Binding attachments together with a change at the engine, which takes part in no transaction of ours: what the
 * variables name is bound first, then the engine is asked. If it refuses, the attachments are again what they were.
 */
import type { Binding } from "../../../files/attachments/bindingQueries.ts";
import type { Tx } from "../../../infrastructure/database/connect.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import { attachmentIdsOf } from "../../variables/attachments.ts";
import { bindAttachments } from "../../variables/binding.ts";
import type { StoredVariable } from "../../variables/variable.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { wasNotDone } from "./restErrors.ts";
import type { BoundFiles } from "./starts.ts";
import { readVariables } from "./variables.ts";

type Variables = ReadonlyMap<string, StoredVariable>;

/** Binds what the variables name, and returns what has changed. Throws `not_committed`. */
export async function bindFiles(tx: Tx, variables: Variables, to: Binding): Promise<BoundFiles> {
  const ids = attachmentIdsOf(variables);
  if (ids.length === 0) return { drafts: [], finalized: [] };
  const free = await tx<{ id: string; state: "draft" | "committed" }[]>`
    select id::text, state
    from waybill.attachments
    where id = any(${ids}::uuid[])
      and tenant_id = ${to.tenantId}
      and (state = 'draft' or (state = 'committed' and process_instance_id is null))
    order by id
    for update`;
  await bindAttachments(tx, variables, to);
  const inState = (wanted: string) => free.filter(({ state }) => state === wanted).map(({ id }) => id);
  return { drafts: inState("draft"), finalized: inState("committed") };
}

export interface Change {
  readonly tenant: Tenant;
  readonly variables: Variables;
  readonly to: Binding & { readonly processInstanceId: string };
  /** Runs in the transaction that binds. */
  readonly before?: ((tx: Tx) => Promise<void>) | undefined;
}

/** Binds, then makes the change. Throws `not_committed`, and what the change throws. */
export async function changeWithFiles<T>(
  context: OperatonContext,
  { tenant, variables, to, before }: Change,
  change: () => Promise<T>,
): Promise<T> {
  const files = await context.sql.begin(async (tx) => {
    await before?.(tx);
    return bindFiles(tx, variables, to);
  });
  try {
    return await change();
  } catch (error) {
    // After a lost answer they stay bound: the engine may have stored the variables that name them.
    if (wasNotDone(error)) await release(context, files, { tenant, to });
    throw error;
  }
}

/** Files that variables of the instance name by now stay bound: an equal request may have succeeded in the meantime. */
async function release(
  context: OperatonContext,
  { drafts, finalized }: BoundFiles,
  { tenant, to }: Pick<Change, "tenant" | "to">,
): Promise<void> {
  if (drafts.length + finalized.length === 0) return;
  const written = await readVariables(context, tenant, to.processInstanceId);
  const named = new Set(attachmentIdsOf(written));
  const free = [...drafts, ...finalized].filter((id) => !named.has(id));
  await context.sql`
    update waybill.attachments
       set state = case when id = any(${[...drafts]}::uuid[]) then 'draft' else state end,
           state_since = now(),
           process_instance_id = null,
           task_id = null
     where id = any(${free}::uuid[])
       and tenant_id = ${to.tenantId}
       and state = 'committed'
       and process_instance_id = ${to.processInstanceId}`;
}
