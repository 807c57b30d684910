/** Binds the files of an instance before a service task sends them. */
import { isUuid } from "../../../../infrastructure/uuid.ts";
import { schemaOf } from "../../../../tenants/tenant.ts";
import { findHistoric } from "../historicInstances.ts";
import type { OperatonContext } from "../operatonContext.ts";
import type { BindFiles } from "../serviceTasks/externalTask.ts";
import { settleStart } from "../starts.ts";
import { valuesOf } from "../variables.ts";
import { bindFilesOf } from "./bindFiles.ts";
import { findRoots } from "./roots.ts";

/**
 * The engine may hand out a task before its start was answered: then the start is settled here. The business key of a
 * root is the id of its start.
 */
export const bindFilesOfInstance: BindFiles = async (context, instance) => {
  const { tenantId, slug, processInstanceId, businessKey } = instance;
  const tenant = { id: tenantId, slug, schema: schemaOf(tenantId) };
  const root =
    (await findRoots(context, tenant, [processInstanceId])).get(processInstanceId) ?? processInstanceId;
  const start =
    root === processInstanceId ? businessKey : (await findHistoric(context, tenant, root))?.businessKey;
  await settle(context, { tenantId, root, start });
  const values = await valuesOf(context, tenant, processInstanceId);
  await bindFilesOf(context, { tenantId, rootInstanceId: root }, values);
};

async function settle(
  { sql }: OperatonContext,
  {
    tenantId,
    root,
    start,
  }: { readonly tenantId: number; readonly root: string; readonly start?: string | null | undefined },
): Promise<void> {
  if (start && isUuid(start)) await settleStart(sql, { id: start, tenantId }, root);
}
