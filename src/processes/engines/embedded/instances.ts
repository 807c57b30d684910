/** Starts, corrects and terminates instances. */
import postgres from "postgres";
import type { BindingUser } from "../../../files/attachments/actor.ts";
import { notCommitted } from "../../../files/attachments/commit.ts";
import type { Queryable, Tx } from "../../../infrastructure/database/connect.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import { recordSuccess } from "../../../tenants/audit.ts";
import { keepingAnswer } from "../../../tenants/idempotency/once.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import { auditOf } from "../../audit.ts";
import type { Corrections, Instance, NewInstance, Termination } from "../../engine.ts";
import { attachmentIdsOf, withMetadata, withServerMetadata } from "../../variables/attachments.ts";
import { bindAttachments, requireOwnUploads } from "../../variables/binding.ts";
import { withInitiator } from "../../variables/initiator.ts";
import type { ShownVariables } from "../../variables/variable.ts";
import { type DefinitionRef, findLatest } from "./definitionQueries.ts";
import type { EngineContext } from "./engineContext.ts";
import { findStarted, type LockedInstance, lockInstance } from "./instanceQueries.ts";
import { runElsewhere, runHere } from "./runEngine.ts";
import { reportOf, rowsOf, type Variables } from "./step.ts";
import { insertInstance, type NewInstanceRow, storeStep } from "./stepQueries.ts";
import { valuesFor } from "./storedStep.ts";
import { endTransaction, recordReport } from "./transactions.ts";
import { requireRoom } from "./variableLimits.ts";
import { readVariables, writeVariables } from "./variableQueries.ts";

export async function start(context: EngineContext, begin: NewInstance): Promise<Instance> {
  const { tenant, processKey, by } = begin;
  const session = "formSession" in by ? by.formSession : null;
  const attachmentIds = attachmentIdsOf(begin.variables);
  const definition = await findLatest(context.sql, { tenantId: tenant.id, processKey }, attachmentIds);
  if (!definition) throw processNotFound(processKey);
  const instance = {
    id: Bun.randomUUIDv7(),
    tenantId: tenant.id,
    processKey,
    definitionId: definition.id,
    version: definition.version,
    startedBy: "user" in by ? by.user : null,
    formSessionId: session,
    businessKey: begin.businessKey ?? null,
  };
  try {
    const started = await insert(context, instance, { begin, definition });
    context.serviceTasks.notify();
    return started;
  } catch (error) {
    const first =
      session !== null && isSecondStart(error)
        ? await findStarted(context.sql, tenant.id, session)
        : undefined;
    if (first) return first;
    throw error;
  }
}

/**
 * Runs the engine first, so that nothing is stored for a model that fails. The facts of attachments and their uploaders
 * never change, so both are read before.
 */
async function insert(
  context: EngineContext,
  instance: NewInstanceRow,
  { begin, definition }: { readonly begin: NewInstance; readonly definition: DefinitionRef },
): Promise<Instance> {
  const { sql } = context;
  const { tenantId, formSessionId } = instance;
  const known = withMetadata(begin.variables, definition.attachments);
  const [model] = await Promise.all([
    context.models.of(sql, instance.definitionId),
    formSessionId !== null && requireOwnUploads(sql, begin.variables, { id: formSessionId, tenantId }),
  ]);
  const variables = withInitiator(known, { ...model, ...instance });
  requireRoom({ before: new Map(), after: variables });
  const event = { kind: "started" } as const;
  const now = new Date(definition.now);
  const given = { engineState: null, event, values: valuesFor(model, variables), openTasks: [], now };
  const done = runHere(model, given) ?? (await runElsewhere(context, { model, tenantId }, given));
  const rows = await rowsOf(context, { instance, model, done, variables, written: variables, event, now });
  const binding = { tenantId, processInstanceId: instance.id, taskId: null, actor: binderOf(begin.by) };
  const state = done.engineState === null ? "completed" : "active";
  const started = { processInstanceId: instance.id, processKey: instance.processKey, state } as const;
  const store = async (sql: Queryable) => {
    const unfit = await insertInstance(
      sql,
      { instance, attachmentIds: attachmentIdsOf(variables), binding },
      rows,
    );
    if (unfit.length > 0) throw notCommitted(unfit);
    return started;
  };
  return begin.once ? sql.begin((tx) => keepingAnswer(tx, begin.once, () => store(tx))) : store(sql);
}

/**
 * Naming an upload in a variable gives no right to it: a user binds own uploads. `requireOwnUploads` checks visitors.
 */
const binderOf = (by: NewInstance["by"]): BindingUser | undefined =>
  "user" in by && !by.bindsAny ? { user: by.user } : undefined;

/** Another request of the same form session has started its process. */
const isSecondStart = (error: unknown) =>
  error instanceof postgres.PostgresError && error.constraint_name === "process_instances_session";

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
    await bindAttachments(tx, written, { tenantId: tenant.id, processInstanceId, taskId: null });
    if (written.size > 0) await writeVariables(tx, processInstanceId, written);
    await tx`select ${recordReport(tx, instance, reportOf(instance, after))}`;
    await recordSuccess(tx, {
      ...auditOf(tenant, by),
      action: "set_variables",
      statement: `set variables ${namesOf(written)} of process instance ${processInstanceId}`,
      affectedRows: written.size,
    });
  });
}

/** Without their values, which may be secret. */
const namesOf = (variables: Variables) =>
  [...variables.keys()].map((name) => JSON.stringify(name)).join(", ");

export async function terminate(
  context: EngineContext,
  { tenant, processInstanceId: id, by }: Termination,
): Promise<void> {
  await context.sql.begin(async (tx) => {
    const instance = await lockActive(tx, tenant, id);
    const nothing = { engineState: null, written: new Map(), userTasks: [], serviceTasks: [], timer: null };
    await storeStep(tx, instance, { endState: "terminated", ...nothing });
    if (instance.timer) await context.timers.remove(tx, [instance.timer.job]);
    await endTransaction(tx, instance);
    await recordSuccess(tx, {
      ...auditOf(tenant, by),
      action: "terminate_instance",
      statement: `terminate process instance ${id}`,
      affectedRows: null,
    });
  });
}

async function lockActive(tx: Tx, tenant: Tenant, id: string): Promise<LockedInstance> {
  const instance = isUuid(id) ? await lockInstance(tx, { id, tenantId: tenant.id }) : undefined;
  if (!instance) throw new Problem("process_instance_not_found");
  if (instance.state === "active") return instance;
  throw new Problem("instance_ended");
}

const processNotFound = (key: string) =>
  new Problem("process_not_found", { message: `No process "${key}" is deployed.` });
