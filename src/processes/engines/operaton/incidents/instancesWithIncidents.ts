/** Which instances are in an incident: their state is shown as `incident`. */
import type { Tenant } from "../../../../tenants/tenant.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { isEngineId } from "../rest.ts";

/** Instances asked for in one call. */
const batch = 200;

/** Those of the instances with an open incident, of their own or of an instance that they have called. */
export async function instancesWithIncidents(
  { rest }: OperatonContext,
  { slug }: Tenant,
  processInstanceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const asked = [...new Set(processInstanceIds)].filter(isEngineId);
  const found = new Set<string>();
  for (let start = 0; start < asked.length; start += batch) {
    const conditions = { processInstanceIds: asked.slice(start, start + batch), tenantIdIn: [slug] };
    const instances = await rest.call<{ id: string; tenantId: string | null }[]>({
      method: "POST",
      path: "/history/process-instance",
      query: { maxResults: batch },
      body: { ...conditions, withIncidents: true, incidentStatus: "open" },
    });
    for (const { id, tenantId } of instances) if (tenantId === slug) found.add(id);
  }
  return found;
}
