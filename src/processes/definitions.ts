/** Models of processes: the largest that are taken, and what their readers get. */
import type { ProcessDefinitionDetail } from "../generated/schemas.ts";
import type { Caller } from "../tenants/caller.ts";
import type { Definition, ProcessEngine } from "./engine.ts";

/** Bytes of a model and of a form. */
export const largestDeployment = { bpmn: 2 * 1024 ** 2, form: 512 * 1024 };

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
