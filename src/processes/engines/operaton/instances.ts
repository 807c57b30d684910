/** Reads, corrects and terminates instances. */
import type { ListedProcessInstance } from "../../../generated/schemas.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import { recordSuccess } from "../../../tenants/audit.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import { auditOf } from "../../audit.ts";
import type { Corrections, InstanceDetail, InstanceQuery, Termination } from "../../engine.ts";
import { withServerMetadata } from "../../variables/attachments.ts";
import { changeWithFiles } from "./changeWithFiles.ts";
import { toEngine, utcText } from "./engineVariables.ts";
import {
  endStateOf,
  findHistoric,
  type HistoricInstance,
  type HistoricQuery,
  newestFirst,
  queryHistoric,
  rootOf,
  versionOf,
} from "./historicInstances.ts";
import { instancesWithIncidents } from "./incidents/instancesWithIncidents.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { repeatIfLocked } from "./repeat.ts";
import { at, isEngineId } from "./rest.ts";
import { isJudgement } from "./restErrors.ts";
import { instancesCalled, instancesVisibleTo, startsOf } from "./starts.ts";

/** Instances of a filter that Waybill resolves itself, newest first. */
const mostFiltered = 2_000;

export async function findInstance(
  context: OperatonContext,
  tenant: Tenant,
  id: string,
): Promise<InstanceDetail | undefined> {
  const instance = await findHistoric(context, tenant, canonical(id));
  if (!instance) return undefined;
  const [starts, failed] = await Promise.all([
    startsOf(context.sql, tenant.id, [instance.id, rootOf(instance)]),
    withIncidents(context, tenant, [instance]),
  ]);
  const start = starts.get(instance.id) ?? starts.get(rootOf(instance));
  return {
    processInstanceId: instance.id,
    processKey: instance.processDefinitionKey,
    state: failed.has(instance.id) ? "incident" : endStateOf(instance),
    startedBy: start?.startedBy ?? null,
    businessKey: businessKeyOf(instance, starts.get(instance.id)),
  };
}

/** The engine writes its UUIDs in lower case and compares them exactly. */
const canonical = (id: string) => (isUuid(id) ? id.toLowerCase() : id);

/** What the starter calls the instance. For one that Waybill did not start, the engine's own business key. */
const businessKeyOf = (
  { businessKey }: HistoricInstance,
  start: { readonly businessKey: string | null } | undefined,
) => (start ? start.businessKey : businessKey);

/** Those of the instances that are running and have an open incident. */
const withIncidents = (context: OperatonContext, tenant: Tenant, instances: readonly HistoricInstance[]) =>
  instancesWithIncidents(
    context,
    tenant,
    instances.filter((instance) => endStateOf(instance) === "active").map(({ id }) => id),
  );

export async function listInstances(
  context: OperatonContext,
  tenant: Tenant,
  wanted: InstanceQuery,
): Promise<ListedProcessInstance[]> {
  const query = await conditionsOf(context, tenant, wanted);
  if (!query) return [];
  const found = await queryHistoric(context, tenant, {
    ...wanted,
    query: { ...query, sorting: newestFirst },
  });
  const [starts, failed] = await Promise.all([
    startsOf(
      context.sql,
      tenant.id,
      found.map(({ id }) => id),
    ),
    withIncidents(context, tenant, found),
  ]);
  return found.map((instance) => ({
    process_instance_id: instance.id,
    process_key: instance.processDefinitionKey,
    version: versionOf(instance),
    state: failed.has(instance.id) ? "incident" : endStateOf(instance),
    business_key: businessKeyOf(instance, starts.get(instance.id)),
    started_by: starts.get(instance.id)?.startedBy ?? null,
    started_at: utcText(instance.startTime),
    ended_at: instance.endTime && utcText(instance.endTime),
  }));
}

/** The engine's conditions. Undefined if no instance can meet them. */
async function conditionsOf(
  context: OperatonContext,
  tenant: Tenant,
  { processKey, state, businessKey, visibleTo }: InstanceQuery,
): Promise<HistoricQuery | undefined> {
  const limit = mostFiltered;
  const visible =
    visibleTo === undefined
      ? undefined
      : await instancesVisibleTo(context.sql, tenant.id, { user: visibleTo, limit });
  if (visible?.length === 0) return undefined;
  const called =
    businessKey === undefined
      ? undefined
      : await instancesCalled(context.sql, tenant.id, { businessKey, limit });
  const names = called?.length ? { processInstanceIds: called } : {};
  return {
    ...(processKey === undefined ? {} : { processDefinitionKey: processKey }),
    ...(visible ? { processInstanceIds: visible } : {}),
    ...(await stateCondition(context, tenant, { state, processKey })),
    // Each of these is one condition, of which any part may hold.
    orQueries: [
      ...(called ? [{ processInstanceBusinessKey: businessKey, ...names }] : []),
      ...(state === "terminated" ? [{ externallyTerminated: true, internallyTerminated: true }] : []),
    ],
  };
}

async function stateCondition(
  context: OperatonContext,
  tenant: Tenant,
  { state, processKey }: Pick<InstanceQuery, "state" | "processKey">,
): Promise<HistoricQuery> {
  if (state === "completed") return { completed: true };
  if (state === "terminated") return { finished: true };
  const open = { unfinished: true, withIncidents: true, incidentStatus: "open" };
  if (state === "incident") return open;
  if (state === undefined) return {};
  const query = { ...open, ...(processKey === undefined ? {} : { processDefinitionKey: processKey }) };
  const failed = await queryHistoric(context, tenant, { query, limit: mostFiltered + 1 });
  if (failed.length > mostFiltered) throw tooManyFailed();
  return {
    unfinished: true,
    ...(failed.length > 0 ? { processInstanceIdNotIn: failed.map(({ id }) => id) } : {}),
  };
}

/** The engine cannot leave out more ids, and a list with instances in an incident would be wrong. */
const tooManyFailed = () =>
  new Problem("answer_too_large", {
    message:
      `More than ${mostFiltered} instances have an incident, so they cannot be left out of the list. ` +
      "Ask for one process, for the state `incident`, or for all states.",
  });

/** Who started each of the instances, by the given id. Those in a call activity have the starter of their root. */
export async function findStarters(
  context: OperatonContext,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const asked = [...new Set(ids.filter(isEngineId).map(canonical))];
  if (asked.length === 0) return new Map();
  const query = { processInstanceIds: asked };
  const known = await queryHistoric(context, tenant, { query, limit: asked.length });
  const roots = new Map(known.map((instance) => [instance.id, rootOf(instance)]));
  const starts = await startsOf(context.sql, tenant.id, [...new Set([...asked, ...roots.values()])]);
  return new Map(
    ids.flatMap((given) => {
      const id = canonical(given);
      const start = starts.get(id) ?? starts.get(roots.get(id) ?? "");
      return start || roots.has(id) ? [[given, start?.startedBy ?? null] as const] : [];
    }),
  );
}

export async function setVariables(
  context: OperatonContext,
  { tenant, processInstanceId: id, variables, by }: Corrections,
): Promise<void> {
  const instance = await requireActive(context, tenant, id);
  const written = await withServerMetadata(context.sql, tenant.id, variables);
  const to = { tenantId: tenant.id, processInstanceId: instance.id, taskId: null };
  const path = at`/process-instance/${instance.id}/variables`;
  await changeWithFiles(context, { tenant, variables: written, to }, () =>
    repeatIfLocked(() =>
      context.rest.call({ method: "POST", path, body: { modifications: toEngine(written) } }),
    ),
  ).catch((error) => refuseEnded(context, tenant, { id: instance.id, error }));
  const names = [...written.keys()].map((name) => JSON.stringify(name)).join(", ");
  await recordSuccess(context.sql, {
    ...auditOf(tenant, by),
    action: "set_variables",
    // Without their values, which may be secret.
    statement: `set variables ${names} of process instance ${instance.id}`,
    affectedRows: written.size,
  });
}

export async function terminate(
  context: OperatonContext,
  { tenant, processInstanceId, by }: Termination,
): Promise<void> {
  const { id } = await requireActive(context, tenant, processInstanceId);
  const path = at`/process-instance/${id}`;
  await repeatIfLocked(() => context.rest.call({ method: "DELETE", path })).catch((error) =>
    refuseEnded(context, tenant, { id, error }),
  );
  await recordSuccess(context.sql, {
    ...auditOf(tenant, by),
    action: "terminate_instance",
    statement: `terminate process instance ${id}`,
    affectedRows: null,
  });
}

async function requireActive(
  context: OperatonContext,
  tenant: Tenant,
  id: string,
): Promise<HistoricInstance> {
  const instance = await findHistoric(context, tenant, canonical(id));
  if (!instance) throw new Problem("process_instance_not_found");
  if (instance.endTime !== null) throw new Problem("instance_ended");
  return instance;
}

/** The engine answers 404 or 500 for an instance that has ended in the meantime. */
async function refuseEnded(
  context: OperatonContext,
  tenant: Tenant,
  { id, error }: { readonly id: string; readonly error: unknown },
): Promise<never> {
  if (isJudgement(error)) await requireActive(context, tenant, id);
  throw error;
}
