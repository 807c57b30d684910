/** Process instances, for those who may see them. */
import type { Sql } from "../infrastructure/database/connect.ts";
import type { Caller } from "../tenants/caller.ts";
import type { InstanceDetail, ProcessEngine } from "./engine.ts";
import { takingPart } from "./roots.ts";

/**
 * The instance, for administrators, engines, its starter and the participants of its discussion or of its root's.
 * Undefined for anybody else. See docs/decisions/reads-and-forms.md.
 */
export async function instanceFor(
  { sql, engine }: { readonly sql: Sql; readonly engine: ProcessEngine },
  caller: Caller,
  id: string,
): Promise<InstanceDetail | undefined> {
  const { tenant, subject } = caller;
  const instance = await engine.findInstance(tenant, id);
  if (!instance) return undefined;
  if (instance.startedBy === subject || seesEveryInstance(caller)) return instance;
  const taking = await takingPart({ sql, engine }, caller, [instance.processInstanceId]);
  return taking.length > 0 ? instance : undefined;
}

/** Whether the caller sees every instance of the tenant, and not only the own ones. */
export const seesEveryInstance = ({ roles }: Caller) =>
  roles.some((role) => role === "admin_sop" || role === "engine");
