/** Reports, from the engine's history. */
import Type from "typebox";
import type { ReportInstance } from "../../../generated/schemas.ts";
import { answerTooLarge, maxPageBytes } from "../../../infrastructure/database/boundedList.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import type { ReportPage, ReportQuery } from "../../engine.ts";
import { readView } from "../../variables/show.ts";
import { shapeOf } from "./answerShape.ts";
import { latestDefinition } from "./definitions.ts";
import { utcText } from "./engineVariables.ts";
import {
  endStateOf,
  type HistoricInstance,
  newestFirst,
  queryHistoric,
  versionOf,
} from "./historicInstances.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { startsOf } from "./starts.ts";
import { readVariablesOf } from "./variables.ts";

export async function listReportInstances(
  context: OperatonContext,
  tenant: Tenant,
  { processKey, offset, limit }: ReportQuery,
): Promise<ReportPage | undefined> {
  if (!(await latestDefinition(context, tenant, processKey))) return undefined;
  const query = { processDefinitionKey: processKey };
  const [total, found] = await Promise.all([
    count(context, tenant, query),
    queryHistoric(context, tenant, { query: { ...query, sorting: newestFirst }, offset, limit }),
  ]);
  const text = JSON.stringify(await withVariables(context, tenant, found));
  if (found.length > 1 && text.length > maxPageBytes) throw answerTooLarge();
  return { total, instances: { jsonText: text } };
}

const countShape = shapeOf(Type.Object({ count: Type.Integer() }));

async function count({ rest }: OperatonContext, { slug }: Tenant, query: object): Promise<number> {
  const body = { ...query, tenantIdIn: [slug] };
  const call = { method: "POST", path: "/history/process-instance/count", body } as const;
  return (await rest.call(call, countShape)).count;
}

async function withVariables(
  context: OperatonContext,
  tenant: Tenant,
  instances: readonly HistoricInstance[],
): Promise<ReportInstance[]> {
  const ids = instances.map(({ id }) => id);
  const [variables, starts] = await Promise.all([
    readVariablesOf(context, tenant, ids),
    startsOf(context.sql, tenant.id, ids),
  ]);
  return instances.map((instance) => ({
    process_instance_id: instance.id,
    version: versionOf(instance),
    state: endStateOf(instance),
    started_by: starts.get(instance.id)?.startedBy ?? null,
    started_at: utcText(instance.startTime),
    ended_at: instance.endTime && utcText(instance.endTime),
    variables: readView(variables.get(instance.id) ?? new Map(), {
      processKey: instance.processDefinitionKey,
      processInstanceId: instance.id,
    }),
  }));
}
