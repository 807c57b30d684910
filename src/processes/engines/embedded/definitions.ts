/** What the port answers about the versions of a process. */
import { Problem } from "../../../infrastructure/problem.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import type { Definition } from "../../engine.ts";
import { findBpmn, findDefinitionRow } from "./definitionQueries.ts";
import type { EngineContext } from "./engineContext.ts";

export async function findDefinition(
  { sql, startForms }: EngineContext,
  { id: tenantId }: Tenant,
  processKey: string,
): Promise<Definition | undefined> {
  const row = await findDefinitionRow(sql, { tenantId, processKey });
  return row && { ...row, start_form: await startForms.of(sql, row.id) };
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
