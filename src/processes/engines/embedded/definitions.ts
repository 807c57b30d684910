/** What the port answers about the versions of a process. */
import type { ProcessDefinition } from "../../../generated/schemas.ts";
import type { Written } from "../../../infrastructure/jsonText.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import type { Definition, Page } from "../../engine.ts";
import { findBpmn, findDefinitionRow, isDeployed, listVersions } from "./definitionQueries.ts";
import type { EngineContext } from "./engineContext.ts";

/** A version of the process, or else the latest one. */
export async function findDefinition(
  { sql, startForms }: EngineContext,
  { id: tenantId }: Tenant,
  { processKey, version }: { readonly processKey: string; readonly version?: number },
): Promise<Definition | undefined> {
  const row = await findDefinitionRow(sql, { tenantId, processKey }, version);
  return row && { ...row, start_form: await startForms.of(sql, row.id) };
}

export async function findVersions(
  { sql }: EngineContext,
  { id: tenantId }: Tenant,
  { processKey, ...page }: Page & { readonly processKey: string },
): Promise<Written<ProcessDefinition[]> | undefined> {
  const process = { tenantId, processKey };
  return (await isDeployed(sql, process)) ? listVersions(sql, process, page) : undefined;
}

export async function readBpmn(
  { sql }: EngineContext,
  tenant: Tenant,
  definitionId: string,
): Promise<string> {
  const { bpmn, tenantId } = await findBpmn(sql, definitionId);
  if (tenantId !== tenant.id) throw new Problem("process_not_found");
  return bpmn;
}
