/** Process instances in the engine's history, which has running and ended ones. */
import type { Tenant } from "../../../tenants/tenant.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { at, isEngineId } from "./rest.ts";
import { EngineError } from "./restErrors.ts";

export interface HistoricInstance {
  readonly id: string;
  readonly businessKey: string | null;
  readonly processDefinitionId: string;
  readonly processDefinitionKey: string;
  readonly processDefinitionVersion: number;
  /** As the engine writes it: see `utcText`. */
  readonly startTime: string;
  readonly endTime: string | null;
  readonly state: "ACTIVE" | "SUSPENDED" | "COMPLETED" | "EXTERNALLY_TERMINATED" | "INTERNALLY_TERMINATED";
  /** The instance that has started this one in a call activity, and so on; itself for one that a start began. */
  readonly rootProcessInstanceId: string;
  readonly tenantId: string | null;
}

/** The engine answers 400 and 405 to ids that are names in its REST interface, such as `report` and `delete`. */
const missing: readonly number[] = [400, 404, 405];

/** An instance of the tenant. The engine does not ask whose an id is. */
export async function findHistoric(
  { rest }: OperatonContext,
  { slug }: Tenant,
  id: string,
): Promise<HistoricInstance | undefined> {
  if (!isEngineId(id)) return undefined;
  try {
    const instance = await rest.call<HistoricInstance>({ path: at`/history/process-instance/${id}` });
    return instance.tenantId === slug ? instance : undefined;
  } catch (error) {
    if (error instanceof EngineError && missing.includes(error.status)) return undefined;
    throw error;
  }
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
  const found = await rest.call<HistoricInstance[]>({
    method: "POST",
    path: "/history/process-instance",
    query: { firstResult: offset, maxResults: limit },
    body: { ...query, tenantIdIn: [slug] },
  });
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
