/** The versions of a tenant's processes. */
import { LRUCache } from "lru-cache";
import Type from "typebox";
import type { ProcessDefinition } from "../../../generated/schemas.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import type { Definition, Page } from "../../engine.ts";
import { engineMoment, shapeOf, textOrNull } from "./answerShape.ts";
import { utcText } from "./engineVariables.ts";
import { startFormOf } from "./forms.ts";
import { inParallel } from "./inParallel.ts";
import { bpmnOf, definitionById, EngineDefinition } from "./models.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { withoutHistoryTime } from "./readModel.ts";
import { at, isEngineId, type QueryValue } from "./rest.ts";
import { EngineError } from "./restErrors.ts";

/** What a deployment's source begins with if Waybill has made it. The subject of the deployer follows. */
export const sourcePrefix = "waybill:";

const definitionsShape = shapeOf(Type.Array(EngineDefinition));

/** Processes of one tenant. */
const mostProcesses = 5_000;

async function query(
  { rest }: OperatonContext,
  { slug }: Tenant,
  conditions: Readonly<Record<string, QueryValue>>,
): Promise<EngineDefinition[]> {
  const wanted = { ...conditions, tenantIdIn: slug };
  const found = await rest.call({ path: "/process-definition", query: wanted }, definitionsShape);
  return found.filter(({ tenantId }) => tenantId === slug);
}

export async function latestDefinition(
  context: OperatonContext,
  tenant: Tenant,
  processKey: string,
): Promise<EngineDefinition | undefined> {
  const [found] = await query(context, tenant, { key: processKey, latestVersion: true });
  return found;
}

/** The latest version of each process, in code-point order of the keys. Throws `answer_too_large`. */
export async function listDefinitions(
  context: OperatonContext,
  tenant: Tenant,
): Promise<ProcessDefinition[]> {
  const found = await query(context, tenant, { latestVersion: true, maxResults: mostProcesses + 1 });
  if (found.length > mostProcesses)
    throw new Problem("answer_too_large", {
      message: `The tenant has more than ${mostProcesses} processes.`,
    });
  const ordered = found.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  return inParallel(ordered, (definition) => shown(context, definition));
}

export async function findDefinition(
  context: OperatonContext,
  tenant: Tenant,
  processKey: string,
): Promise<Definition | undefined> {
  return detail(context, await latestDefinition(context, tenant, processKey));
}

export async function findVersion(
  context: OperatonContext,
  tenant: Tenant,
  { processKey, version }: { readonly processKey: string; readonly version: number },
): Promise<Definition | undefined> {
  const [found] = await query(context, tenant, { key: processKey, version });
  return detail(context, found);
}

export async function listVersions(
  context: OperatonContext,
  tenant: Tenant,
  { processKey, offset, limit }: Page & { readonly processKey: string },
): Promise<ProcessDefinition[] | undefined> {
  const order = { sortBy: "version", sortOrder: "desc", firstResult: offset, maxResults: limit };
  const found = await query(context, tenant, { key: processKey, ...order });
  if (found.length === 0 && !(await latestDefinition(context, tenant, processKey))) return undefined;
  return inParallel(found, (definition) => shown(context, definition));
}

async function detail(
  context: OperatonContext,
  definition: EngineDefinition | undefined,
): Promise<Definition | undefined> {
  if (!definition) return undefined;
  const [facts, form] = await Promise.all([shown(context, definition), startFormOf(context, definition)]);
  return { id: definition.id, ...facts, start_form: form };
}

async function shown(context: OperatonContext, definition: EngineDefinition): Promise<ProcessDefinition> {
  const { source, deploymentTime } = await deploymentOf(context, definition.deploymentId);
  return {
    process_key: definition.key,
    version: definition.version,
    name: definition.name || definition.key,
    deployed_by: source?.startsWith(sourcePrefix) ? source.slice(sourcePrefix.length) : (source ?? ""),
    deployed_at: utcText(deploymentTime),
  };
}

const Deployment = Type.Object({ source: textOrNull, deploymentTime: engineMoment });
type Deployment = Type.Static<typeof Deployment>;
const deploymentShape = shapeOf(Deployment);

const deployments = { create: () => new LRUCache<string, Deployment>({ max: 10_000 }) };

/** A deployment never changes. */
async function deploymentOf({ rest, caches }: OperatonContext, id: string): Promise<Deployment> {
  const known = caches.of(deployments).get(id);
  if (known) return known;
  const deployment = await rest.call({ path: at`/deployment/${id}` }, deploymentShape);
  caches.of(deployments).set(id, deployment);
  return deployment;
}

/** The text that was deployed. Throws `process_not_found`. */
export async function readBpmn(
  context: OperatonContext,
  tenant: Tenant,
  definitionId: string,
): Promise<string> {
  if (!isEngineId(definitionId)) throw new Problem("process_not_found");
  try {
    const { tenantId } = await definitionById(context, definitionId);
    if (tenantId !== tenant.slug) throw new Problem("process_not_found");
    return withoutHistoryTime(await bpmnOf(context, definitionId));
  } catch (error) {
    throw error instanceof EngineError && error.status === 404 ? new Problem("process_not_found") : error;
  }
}
