/** Process instances in the engine's history, which has running and ended ones. */
import Type from "typebox";
import type { Tenant } from "../../../tenants/tenant.ts";
import { engineMoment, momentOrNull, nullable, shapeOf, text, textOrNull } from "./answerShape.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { isEngineId } from "./rest.ts";

const HistoricInstance = Type.Object({
  id: text,
  businessKey: textOrNull,
  processDefinitionId: text,
  processDefinitionKey: text,
  /** Null if somebody has deleted the definition. See `versionOf`. */
  processDefinitionVersion: nullable(Type.Integer()),
  /** As the engine writes it: see `utcText`. */
  startTime: engineMoment,
  endTime: momentOrNull,
  /** ACTIVE, SUSPENDED, COMPLETED, EXTERNALLY_TERMINATED or INTERNALLY_TERMINATED. */
  state: text,
  /**
   * The instance that has started this one in a call activity, and so on; itself for one that a start began. Null if
   * the history was written by a version before 7.10.
   */
  rootProcessInstanceId: textOrNull,
  tenantId: textOrNull,
});
export type HistoricInstance = Readonly<Type.Static<typeof HistoricInstance>>;
const instancesShape = shapeOf(Type.Array(HistoricInstance));

/** An instance of the tenant. By a query, because some ids, such as `count`, are names in the REST interface. */
export async function findHistoric(
  context: OperatonContext,
  tenant: Tenant,
  id: string,
): Promise<HistoricInstance | undefined> {
  if (!isEngineId(id)) return undefined;
  const [instance] = await queryHistoric(context, tenant, { query: { processInstanceIds: [id] }, limit: 1 });
  return instance;
}

export interface HistoricQuery {
  readonly [condition: string]: unknown;
  readonly sorting?: readonly { readonly sortBy: string; readonly sortOrder: "asc" | "desc" }[];
}

export const newestFirst: NonNullable<HistoricQuery["sorting"]> = [
  { sortBy: "startTime", sortOrder: "desc" },
  { sortBy: "instanceId", sortOrder: "desc" },
];

/** Instances of the tenant that meet the conditions of the engine's query. */
export async function queryHistoric(
  { rest }: OperatonContext,
  { slug }: Pick<Tenant, "slug">,
  {
    query,
    offset = 0,
    limit,
  }: { readonly query: HistoricQuery; readonly offset?: number; readonly limit: number },
): Promise<HistoricInstance[]> {
  const page = { firstResult: offset, maxResults: limit };
  const body = { ...query, tenantIdIn: [slug] };
  const call = { method: "POST", path: "/history/process-instance", query: page, body } as const;
  const found = await rest.call(call, instancesShape);
  return found.filter(({ tenantId }) => tenantId === slug);
}

/** The instance with this business key of the engine: the id of a start. */
export async function findByStart(
  context: OperatonContext,
  tenant: Pick<Tenant, "slug">,
  startId: string,
): Promise<HistoricInstance | undefined> {
  const query = { processInstanceBusinessKey: startId, rootProcessInstances: true };
  const [instance] = await queryHistoric(context, tenant, { query, limit: 1 });
  return instance;
}

export const endStateOf = ({ state }: HistoricInstance): "active" | "completed" | "terminated" => {
  if (state === "ACTIVE" || state === "SUSPENDED") return "active";
  return state === "COMPLETED" ? "completed" : "terminated";
};

export const rootOf = ({ rootProcessInstanceId: root, id }: HistoricInstance): string => root ?? id;

/** Of a definition that was deleted, its id still tells the version: `key:version:id`. Long keys are not in ids. */
export const versionOf = ({ processDefinitionVersion: version, processDefinitionId: id }: HistoricInstance) =>
  version ?? Number(/:(\d+):[^:]*$/.exec(id)?.[1] ?? 1);
