/** The files that the variables of a service task name, in the course of one attempt. */
import type { Tenant } from "../../../../tenants/tenant.ts";
import { relatedInstances } from "../../../roots.ts";
import { attachmentIdOf } from "../../../variables/attachmentMetadata.ts";
import type { TypedValues } from "../../../variables/variable.ts";
import { findRoots } from "../binding/roots.ts";
import { settleStartOf } from "../binding/settleStartOf.ts";
import type { ServiceTaskContext, TaskInstance } from "./externalTask.ts";

export interface TaskFiles {
  /**
   * Another client may have written the variables, or their instance has only begun: nobody has bound their files yet.
   */
  bind(variables: TypedValues): Promise<void>;
  /** The instances besides that of the task to which these attachments are bound, and which have the same root. */
  relatedInstances(attachmentIds: readonly string[]): Promise<readonly string[]>;
}

export function filesOf(context: ServiceTaskContext, instance: TaskInstance): TaskFiles {
  const { tenant, processInstanceId } = instance;
  const tenantId = tenant.id;
  /** Attachments that are bound to the instance or to its root, as far as that is known. It never changes. */
  const instanceOf = new Map<string, string>();

  async function bind(variables: TypedValues): Promise<void> {
    const attachmentIds = Object.values(variables).flatMap(({ value }) => attachmentIdOf(value) ?? []);
    if (attachmentIds.length === 0) return;
    const found = await context.batches.findFiles({ tenantId, attachmentIds });
    for (const { id, processInstanceId: to } of found) if (to === processInstanceId) instanceOf.set(id, to);
    const unbound = found.filter(({ isUnbound }) => isUnbound).map(({ id }) => id);
    const starts = found.flatMap(({ unsettledStart }) => unsettledStart ?? []);
    if (unbound.length + starts.length === 0) return;
    const rootInstanceId = await context.batches.rootOf(instance);
    await settleStartOf(context, tenant, { rootInstanceId, starts });
    if (unbound.length === 0) return;
    const bound = await context.batches.bindFiles({ tenantId, rootInstanceId, attachmentIds: unbound });
    for (const id of bound) instanceOf.set(id, rootInstanceId);
  }

  return {
    bind,
    relatedInstances: async (attachmentIds) => {
      const known = attachmentIds.map((id) => instanceOf.get(id));
      if (known.every((id) => id !== undefined))
        return [...new Set(known)].filter((id) => id !== processInstanceId);
      return relatedInstances({ sql: context.sql, engine: roots(context) }, instance, attachmentIds);
    },
  };
}

const roots = (context: ServiceTaskContext) => ({
  findRoots: (tenant: Tenant, ids: readonly string[]) => findRoots(context, tenant, ids),
});
