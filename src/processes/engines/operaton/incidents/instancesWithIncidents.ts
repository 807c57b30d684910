/** Which instances are in an incident: their state is shown as `incident`. */
import Type from "typebox";
import type { Tenant } from "../../../../tenants/tenant.ts";
import { shapeOf, text, textOrNull } from "../answerShape.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { isEngineId } from "../rest.ts";

const instancesShape = shapeOf(Type.Array(Type.Object({ id: text, tenantId: textOrNull })));

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
    const body = { ...conditions, withIncidents: true, incidentStatus: "open" };
    const query = { maxResults: batch };
    const call = { method: "POST", path: "/history/process-instance", query, body } as const;
    const instances = await rest.call(call, instancesShape);
    for (const { id, tenantId } of instances) if (tenantId === slug) found.add(id);
  }
  return found;
}
