/**
 * Reads the variables of an instance, running or ended, from the engine's history: it is written with each change, and
 * its query is limited to the tenant.
 */
import Type from "typebox";
import type { Tenant } from "../../../tenants/tenant.ts";
import type { VariableName } from "../../engine.ts";
import type { FileValue, ShownVariable, ShownVariables } from "../../variables/variable.ts";
import { shapeOf, text, textOrNull } from "./answerShape.ts";
import { engineValue, fromEngine, isFile } from "./engineVariables.ts";
import { inParallel } from "./inParallel.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { at, isEngineId, maxVariablesBytes } from "./rest.ts";

const HistoricVariable = Type.Object({
  ...engineValue,
  id: text,
  name: text,
  processInstanceId: text,
  /** That of its instance, if the variable is not local to an activity. */
  activityInstanceId: textOrNull,
  tenantId: textOrNull,
});
type HistoricVariable = Readonly<Type.Static<typeof HistoricVariable>>;
const variablesShape = shapeOf(Type.Array(HistoricVariable));

export async function readVariables(
  context: OperatonContext,
  tenant: Tenant,
  processInstanceId: string,
): Promise<ShownVariables> {
  const byInstance = await readVariablesOf(context, tenant, [processInstanceId]);
  return byInstance.get(processInstanceId) ?? new Map();
}

/** The variables of several instances. Those of activities alone are left out. Ordered by name. */
export async function readVariablesOf(
  context: OperatonContext,
  tenant: Tenant,
  processInstanceIds: readonly string[],
): Promise<ReadonlyMap<string, ShownVariables>> {
  const query = { processInstanceIdIn: processInstanceIds.filter(isEngineId) };
  const found = (await historicVariables(context, tenant, query)).filter(isOfProcess);
  const shown = await inParallel(found, async (variable) => {
    const size = isFile(variable) ? await context.rest.size(dataPath(variable)) : 0;
    return [variable, fromEngine(variable.name, variable, size)] as const;
  });
  const byInstance = new Map<string, Map<string, ShownVariable>>();
  for (const [{ processInstanceId, name }, variable] of shown.toSorted(byName)) {
    const variables = byInstance.get(processInstanceId) ?? new Map<string, ShownVariable>();
    byInstance.set(processInstanceId, variables.set(name, variable));
  }
  return byInstance;
}

const byName = (
  [{ name: a }]: readonly [HistoricVariable, unknown],
  [{ name: b }]: readonly [HistoricVariable, unknown],
) => (a < b ? -1 : Number(a > b));

const dataPath = ({ id }: HistoricVariable) => at`/history/variable-instance/${id}/data`;

async function historicVariables(
  { rest }: OperatonContext,
  { slug }: Tenant,
  query: { readonly processInstanceIdIn: readonly string[]; readonly variableName?: string },
): Promise<HistoricVariable[]> {
  if (query.processInstanceIdIn.length === 0) return [];
  const body = { ...query, tenantIdIn: [slug] };
  const call = { method: "POST", path: "/history/variable-instance", body } as const;
  const asKept = { query: { deserializeValues: false }, maxBytes: maxVariablesBytes };
  const found = await rest.call({ ...call, ...asKept }, variablesShape);
  return found.filter(({ tenantId }) => tenantId === slug);
}

/** Not local to an activity. */
const isOfProcess = ({ processInstanceId, activityInstanceId }: HistoricVariable) =>
  activityInstanceId === processInstanceId;

export async function readFile(
  context: OperatonContext,
  tenant: Tenant,
  { processInstanceId, name }: VariableName,
): Promise<FileValue | undefined> {
  if (!isEngineId(processInstanceId)) return undefined;
  const query = { processInstanceIdIn: [processInstanceId], variableName: name };
  const found = await historicVariables(context, tenant, query);
  const variable = found.find((each) => each.name === name && isOfProcess(each) && isFile(each));
  if (!variable) return undefined;
  const content = await context.rest.bytes({ path: dataPath(variable), maxBytes: maxVariablesBytes });
  const { file } = fromEngine(name, variable, content.byteLength);
  return file && { ...file, content };
}
