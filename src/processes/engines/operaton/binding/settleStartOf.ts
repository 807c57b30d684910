/** Settles a start whose files a service task sends before the engine has answered the start. */
import type { Tenant } from "../../../../tenants/tenant.ts";
import { findHistoric } from "../historicInstances.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { settleStart } from "../starts.ts";

export interface StartsOfRoot {
  readonly rootInstanceId: string;
  /** Starts that are not settled yet and have files of the instance. */
  readonly starts: readonly string[];
}

/** Until its start is settled, the files of an instance are bound to the start. Its id is the root's business key. */
export async function settleStartOf(
  context: OperatonContext,
  tenant: Tenant,
  { rootInstanceId, starts }: StartsOfRoot,
): Promise<void> {
  if (starts.length === 0) return;
  const businessKey = (await findHistoric(context, tenant, rootInstanceId))?.businessKey;
  const id = starts.find((start) => start === businessKey);
  if (id !== undefined) await settleStart(context.sql, { id, tenantId: tenant.id }, rootInstanceId);
}
