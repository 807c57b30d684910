/** Instances begin, go on by their user tasks, and are terminated. */
import postgres from "postgres";
import { notCommitted } from "../../../files/attachments/commit.ts";
import type { Sql, Tx } from "../../../infrastructure/database/connect.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import { recordSuccess } from "../../../tenants/audit.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import type { Corrections, Instance, NewInstance, TaskCompletion, Termination } from "../../engine.ts";
import { attachmentIdsOf, withServerMetadata } from "../../variables/attachments.ts";
import { readVariables, writeVariables } from "../../variables/queries.ts";
import type { ShownVariables } from "../../variables/variable.ts";
import { auditOf } from "./audit.ts";
import type { EngineContext } from "./engineContext.ts";
import {
  closeUserTask,
  draftsOfOthers,
  findLatest,
  findSessionInstance,
  findUserTask,
  insertInstance,
  type LockedInstance,
  lockInstance,
  type NewInstanceRow,
  storeSnapshot,
} from "./queries.ts";
import { StaleEvent } from "./run.ts";
import { runElsewhere, runHere } from "./runEngine.ts";
import { advance, bind, recordVariables, store, type Variables } from "./step.ts";
import { valuesFor } from "./storedStep.ts";
import { endTransaction } from "./transactions.ts";
import { requireRoom } from "./variableLimits.ts";

export async function start(context: EngineContext, begin: NewInstance): Promise<Instance> {
  const { tenant, processKey, by } = begin;
  const session = "formSession" in by ? by.formSession : null;
  const definition = await findLatest(context.sql, tenant.id, processKey);
  if (!definition) throw processNotFound(processKey);
  const instance = {
    id: Bun.randomUUIDv7(),
    tenantId: tenant.id,
    processKey,
    definitionId: definition.id,
    version: definition.version,
    startedBy: "user" in by ? by.user : null,
    formSessionId: session,
  };
  try {
    const now = new Date(definition.now);
    const state = await insert(context, instance, { begin, now });
    context.serviceTasks.notify();
    return { processInstanceId: instance.id, processKey, state };
  } catch (error) {
    const first =
      session !== null && isSecondStart(error) ? await findStarted(context, tenant, session) : undefined;
    if (first) return first;
    throw error;
  }
}

/**
 * The engine runs first: what its model stops does not even begin a transaction. What it has to know of attachments
 * never changes, whose they are neither, so both are looked up before.
 */
async function insert(
  context: EngineContext,
  instance: NewInstanceRow,
  { begin, now }: { readonly begin: NewInstance; readonly now: Date },
): Promise<"active" | "completed"> {
  const { sql } = context;
  const { tenantId } = instance;
  const { variables: given } = begin;
  const [model, variables] = await Promise.all([
    context.models.of(sql, instance.definitionId),
    withServerMetadata(sql, tenantId, given),
    instance.formSessionId !== null && refuseForeign(sql, given, { id: instance.formSessionId, tenantId }),
  ]);
  requireRoom({ before: new Map(), after: variables });
  const event = { kind: "started" } as const;
  const step = { engineState: null, event, values: valuesFor(model, variables), now };
  const snapshot = runHere(model, step) ?? (await runElsewhere(context, { model, tenantId }, step));
  const to = { tenantId, processInstanceId: instance.id, taskId: null, actor: ownOnly(begin.by) };
  await sql.begin((tx) =>
    Promise.all([
      insertInstance(tx, instance),
      bind(tx, variables, to),
      variables.size > 0 && writeVariables(tx, instance.id, variables),
      ...store(tx, context, {
        instance,
        model,
        snapshot,
        variables,
        known: new Set(),
        event,
        now,
        timer: null,
      }),
    ]),
  );
  return snapshot.engineState === null ? "completed" : "active";
}

/** Naming an upload in a variable is no right to it: a user binds own ones. Of visitors `refuseForeign` takes care. */
const ownOnly = (by: NewInstance["by"]) =>
  "user" in by && !by.bindsAny ? { user: by.user, forOthers: false } : undefined;

/** A visitor binds what the visitor uploaded, and nothing else. */
async function refuseForeign(
  sql: Sql,
  variables: Variables,
  session: { readonly id: string; readonly tenantId: number },
): Promise<void> {
  const ids = attachmentIdsOf(variables);
  const foreign = ids.length > 0 ? await draftsOfOthers(sql, ids, session) : [];
  if (foreign.length > 0) throw notCommitted(foreign);
}

export async function findStarted(
  { sql }: EngineContext,
  tenant: Tenant,
  session: string,
): Promise<Instance | undefined> {
  const found = await findSessionInstance(sql, tenant.id, session);
  return found && { processInstanceId: found.id, processKey: found.processKey, state: found.state };
}

/** Two requests of one form session at once: the second finds the first one's instance. */
const isSecondStart = (error: unknown) =>
  error instanceof postgres.PostgresError && error.constraint_name === "process_instances_session";

export async function completeTask(
  context: EngineContext,
  { tenant, taskId, variables, user, bindsAny = false }: TaskCompletion,
): Promise<void> {
  const task = isUuid(taskId) ? await findUserTask(context.sql, tenant.id, taskId) : undefined;
  if (!task) throw new Problem("task_not_found");
  if (task.ended) throw taskCompleted();
  const { processInstanceId, executionId } = task;
  const event = { kind: "userTaskCompleted", executionId } as const;
  const by = ownOnly({ user, bindsAny });
  const step = { tenantId: tenant.id, processInstanceId, event, written: variables, taskId, by };
  const close = (tx: Tx) => closeUserTask(tx, { id: taskId, user, tenantId: tenant.id, processInstanceId });
  await advance(context, { ...step, close }).catch((error: unknown) => {
    throw error instanceof StaleEvent ? taskCompleted() : error;
  });
  context.serviceTasks.notify();
}

export async function setVariables(
  context: EngineContext,
  { tenant, processInstanceId, variables, by }: Corrections,
): Promise<void> {
  await context.sql.begin(async (tx) => {
    const instance = await lockActive(tx, tenant, processInstanceId);
    const [before, written] = await Promise.all([
      readVariables(tx, processInstanceId),
      withServerMetadata(tx, tenant.id, variables),
    ]);
    const after: ShownVariables = new Map([...before, ...written]);
    requireRoom({ before, after });
    await bind(tx, written, { tenantId: tenant.id, processInstanceId, taskId: null });
    if (written.size > 0) await writeVariables(tx, processInstanceId, written);
    await recordVariables(tx, context, { instance, variables: after });
    await recordSuccess(tx, {
      ...auditOf(tenant, by),
      action: "set_variables",
      statement: `set variables ${namesOf(written)} of process instance ${processInstanceId}`,
      affectedRows: written.size,
    });
  });
}

/** Their values may be anybody's secrets. */
const namesOf = (variables: Variables) =>
  [...variables.keys()].map((name) => JSON.stringify(name)).join(", ");

export async function terminate(
  context: EngineContext,
  { tenant, processInstanceId: id, by }: Termination,
): Promise<void> {
  await context.sql.begin(async (tx) => {
    const instance = await lockActive(tx, tenant, id);
    const nothing = { engineState: null, userTasks: [], serviceTasks: [], timer: null };
    await storeSnapshot(tx, { instance, endState: "terminated", ...nothing });
    if (instance.timer) await context.timers.remove(tx, [instance.timer.job]);
    await endTransaction(tx, instance, "terminated");
    await recordSuccess(tx, {
      ...auditOf(tenant, by),
      action: "terminate_instance",
      statement: `terminate process instance ${id}`,
      affectedRows: null,
    });
  });
}

async function lockActive(tx: Tx, tenant: Tenant, id: string): Promise<LockedInstance> {
  const instance = isUuid(id) ? await lockInstance(tx, id, tenant.id) : undefined;
  if (!instance) throw new Problem("process_instance_not_found");
  if (instance.state === "active") return instance;
  throw new Problem("instance_ended");
}

const taskCompleted = () => new Problem("task_completed", { message: "The task is no longer open." });

const processNotFound = (key: string) =>
  new Problem("process_not_found", { message: `No process "${key}" is deployed.` });
