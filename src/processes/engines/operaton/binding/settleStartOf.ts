/** Settles a start whose files a service task sends before the engine has answered the start. */
import type { Tenant } from "../../../../tenants/tenant.ts";
import { findHistoric } from "../historicInstances.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { settleStart, unsettledStartsWith } from "../starts.ts";

export interface FilesOfRoot {
  readonly rootInstanceId: string;
  readonly attachmentIds: readonly string[];
}

/** Until its start is settled, the files of an instance are bound to the start. Its id is the root's business key. */
export async function settleStartOf(
  context: OperatonContext,
  tenant: Tenant,
  { rootInstanceId, attachmentIds }: FilesOfRoot,
): Promise<void> {
  const unsettled = await unsettledStartsWith(context.sql, tenant.id, attachmentIds);
  if (unsettled.length === 0) return;
  const businessKey = (await findHistoric(context, tenant, rootInstanceId))?.businessKey;
  const id = unsettled.find((start) => start === businessKey);
  if (id !== undefined) await settleStart(context.sql, { id, tenantId: tenant.id }, rootInstanceId);
}
