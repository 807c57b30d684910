/**
 * Instances with the same root. A call activity starts an instance of its own, which works on the files of its caller.
 */
import { findParticipations } from "../discussions/participants.ts";
import { instancesOf } from "../files/attachments/queries.ts";
import type { Sql } from "../infrastructure/database/connect.ts";
import type { Caller } from "../tenants/caller.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ProcessEngine } from "./engine.ts";

interface Deps {
  readonly sql: Sql;
  readonly engine: Pick<ProcessEngine, "findRoots">;
}

/**
 * Those of the instances in whose discussion the user takes part, or in that of their root. Whoever takes part in the
 * discussion of a root may see what its call activities do. Those of a called instance see that one alone.
 */
export async function takingPart(
  { sql, engine }: Deps,
  { tenant, subject }: Pick<Caller, "tenant" | "subject">,
  ids: readonly string[],
): Promise<readonly string[]> {
  const participations = (processInstanceIds: readonly string[]) =>
    findParticipations(sql, { tenantId: tenant.id, processInstanceIds }, subject);
  const own = await participations(ids);
  const others = ids.filter((id) => !own.has(id));
  if (others.length === 0) return ids;
  const roots = await engine.findRoots(tenant, others);
  const above = [...new Set(roots.values())].filter((root) => !ids.includes(root));
  const taking = new Set([...own, ...(above.length === 0 ? [] : await participations(above))]);
  return ids.filter((id) => taking.has(id) || taking.has(roots.get(id) ?? id));
}

/**
 * The other instances with the same root to which these attachments are committed. The engine is asked only if there
 * are such attachments.
 */
export async function relatedInstances(
  { sql, engine }: Deps,
  { tenant, processInstanceId }: { readonly tenant: Tenant; readonly processInstanceId: string },
  attachmentIds: readonly string[],
): Promise<readonly string[]> {
  const bound = await instancesOf(sql, tenant.id, attachmentIds);
  const others = bound.filter((id) => id !== processInstanceId);
  if (others.length === 0) return [];
  const roots = await engine.findRoots(tenant, [processInstanceId, ...others]);
  return others.filter((id) => roots.get(id) === roots.get(processInstanceId));
}
