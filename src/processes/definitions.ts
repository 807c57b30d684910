/** A version of a process, as its readers get it. */
import type { ProcessDefinitionDetail } from "../generated/schemas.ts";
import type { Caller } from "../tenants/caller.ts";
import type { Definition, ProcessEngine } from "./engine.ts";

/**
 * The version, with its BPMN text for administrators only: the text shows where integrations are and how they are
 * called.
 */
export async function shownTo(
  { tenant, roles }: Caller,
  { engine, definition }: { readonly engine: ProcessEngine; readonly definition: Definition },
): Promise<ProcessDefinitionDetail> {
  const { id, ...shown } = definition;
  return roles.includes("admin_sop") ? { ...shown, bpmn: await engine.readBpmn(tenant, id) } : shown;
}
