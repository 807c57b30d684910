/** Files of a process may be bound to the instance that called it, or to one that it called. */
import type { Sql } from "../../../../infrastructure/database/connect.ts";
import type { OperatonContext } from "../operatonContext.ts";
import type { TaskInstance } from "./externalTask.ts";
import { historicInstance } from "./instanceTree.ts";

/** The other instances of the same tree to which these attachments are bound. */
export async function relatedInstances(
  context: OperatonContext,
  { tenantId, slug, processInstanceId }: TaskInstance,
  attachmentIds: readonly string[],
): Promise<string[]> {
  const others = await instancesOf(context.sql, { tenantId, attachmentIds });
  const candidates = others.filter((id) => id !== processInstanceId);
  if (candidates.length === 0) return [];
  const rootOf = async (id: string) => (await historicInstance(context, slug, id))?.rootProcessInstanceId;
  const root = await rootOf(processInstanceId);
  const roots = await Promise.all(candidates.map(rootOf));
  return candidates.filter((_, index) => root !== undefined && roots[index] === root);
}

/** The instances to which the tenant's attachments are committed. */
async function instancesOf(
  sql: Sql,
  { tenantId, attachmentIds }: { readonly tenantId: number; readonly attachmentIds: readonly string[] },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct process_instance_id as id
    from waybill.attachments
    where id = any(${[...attachmentIds]}::uuid[])
      and tenant_id = ${tenantId}
      and state = 'committed'
      and process_instance_id is not null
    limit 100`;
  return rows.map(({ id }) => id);
}
