/**
 * Starts instances. The engine knows no transaction of ours and nothing unique, so a start is remembered with its
 * attachments under an id of ours before the engine is asked. This id is the instance's business key there: it finds
 * the instance again if the answer was lost.
 */
import postgres from "postgres";
import Type from "typebox";
import { Problem } from "../../../infrastructure/problem.ts";
import { claimKey, keepAnswer } from "../../../tenants/idempotency/keys.ts";
import { releaseKey } from "../../../tenants/idempotency/pending.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import type { Instance, NewInstance } from "../../engine.ts";
import { withServerMetadata } from "../../variables/attachments.ts";
import { requireOwnUploads } from "../../variables/binding.ts";
import { withInitiator } from "../../variables/initiator.ts";
import type { StoredVariable } from "../../variables/variable.ts";
import { shapeOf, text, textOrNull } from "./answerShape.ts";
import { bindFiles } from "./changeWithFiles.ts";
import { latestDefinition } from "./definitions.ts";
import { toEngine } from "./engineVariables.ts";
import { findByStart } from "./historicInstances.ts";
import { initiatorOf } from "./initiators.ts";
import { findInstance } from "./instances.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { at, isEngineId } from "./rest.ts";
import { EngineError, isJudgement, unreadableAnswer, wasNotDone } from "./restErrors.ts";
import {
  insertStart,
  type NewStart,
  type StartRow,
  settleStart,
  startOfSession,
  undoStart,
  unsettledStarts,
} from "./starts.ts";

/** The variable that holds what the starter calls the instance: the engine's business key is the start's id. */
const businessKeyVariable = "business_key";

export async function start(context: OperatonContext, begin: NewInstance): Promise<Instance> {
  const { tenant, processKey } = begin;
  const definition = await latestDefinition(context, tenant, processKey);
  if (!definition) throw processNotFound(processKey);
  const row = rowOf(begin);
  const given = withBusinessKey(await checkedVariables(context, begin), begin.businessKey);
  const initiator = await initiatorOf(context, tenant, definition);
  const variables = withInitiator(given, { initiator, startedBy: row.startedBy });
  try {
    await remember(context, row, { begin, variables });
  } catch (error) {
    if (row.formSessionId === null || !isSecondStart(error)) throw error;
    return firstStart(context, begin, row.formSessionId);
  }
  return ask(context, { tenant, row, variables, definitionId: definition.id, once: begin.once });
}

/** How long a repeated request waits for the first one. */
const waitMs = 10_000;
const pauseMs = 50;

/** What another request of the same session has started. If that was refused, this one tries. */
async function firstStart(
  context: OperatonContext,
  begin: NewInstance,
  formSession: string,
): Promise<Instance> {
  const { tenant } = begin;
  for (const deadline = performance.now() + waitMs; performance.now() < deadline; await Bun.sleep(pauseMs)) {
    const row = await startOfSession(context.sql, tenant.id, formSession);
    if (!row) return start(context, begin);
    if (row.processInstanceId !== null) break;
  }
  return (await findStarted(context, tenant, formSession)) ?? alreadyStarting();
}

const rowOf = ({ tenant, processKey, businessKey, by }: NewInstance): NewStart => ({
  id: Bun.randomUUIDv7(),
  tenantId: tenant.id,
  processKey,
  businessKey: businessKey ?? null,
  startedBy: "user" in by ? by.user : null,
  formSessionId: "formSession" in by ? by.formSession : null,
});

type Variables = ReadonlyMap<string, StoredVariable>;

async function checkedVariables(
  { sql }: OperatonContext,
  { tenant, variables, by }: NewInstance,
): Promise<Variables> {
  if ("formSession" in by)
    await requireOwnUploads(sql, variables, { id: by.formSession, tenantId: tenant.id });
  return withServerMetadata(sql, tenant.id, variables);
}

function withBusinessKey(variables: Variables, businessKey: string | undefined): Variables {
  if (businessKey === undefined || variables.has(businessKeyVariable)) return variables;
  const variable = { type: "String", value: JSON.stringify(businessKey) } as const;
  return new Map([...variables, [businessKeyVariable, variable]]);
}

/** Binds the attachments to the start's own id until the instance's id is known. */
const remember = (
  { sql }: OperatonContext,
  row: NewStart,
  { begin: { by, once }, variables }: { readonly begin: NewInstance; readonly variables: Variables },
) =>
  sql.begin(async (tx) => {
    if (once) await claimKey(tx, once.request, row.id);
    const actor = "user" in by && !by.bindsAny ? { user: by.user } : undefined;
    const to = { tenantId: row.tenantId, processInstanceId: row.id, taskId: null, actor };
    await insertStart(tx, row, await bindFiles(tx, variables, to));
  });

interface Asking {
  readonly tenant: Tenant;
  readonly row: NewStart;
  readonly variables: Variables;
  /** Of the tenant. A path with the key and the slug could not have every slug. */
  readonly definitionId: string;
  readonly once: NewInstance["once"];
}

/** What the engine answers to a start. */
const Started = Type.Object({ id: text, ended: Type.Boolean(), tenantId: textOrNull });
type Started = Readonly<Type.Static<typeof Started>>;
const startedShape = shapeOf(Started);

async function ask(context: OperatonContext, asking: Asking): Promise<Instance> {
  const { row, once } = asking;
  const started = await askEngine(context, asking);
  await settleStart(context.sql, row, started.id);
  const state = started.ended ? "completed" : "active";
  const instance = { processInstanceId: started.id, processKey: row.processKey, state } as const;
  if (once) await keepAnswer(context.sql, once.request, once.answerOf(instance));
  return instance;
}

async function askEngine(context: OperatonContext, asking: Asking): Promise<Started> {
  const { tenant, row, variables, definitionId } = asking;
  try {
    const path = at`/process-definition/${definitionId}/start`;
    const body = { businessKey: row.id, variables: toEngine(variables) };
    const started = await context.rest.call({ method: "POST", path, body }, startedShape);
    if (started.tenantId === tenant.slug && isEngineId(started.id)) return started;
    throw new EngineError({ status: 200, type: unreadableAnswer, message: "The answer names no instance" });
  } catch (error) {
    return startedAfterAll(context, asking, error);
  }
}

/** The instance that the engine has started although it did not say so. Otherwise throws. */
async function startedAfterAll(
  context: OperatonContext,
  { tenant, row, once }: Asking,
  error: unknown,
): Promise<Started> {
  const refused = wasNotDone(error);
  // A start that failed with 5xx is rolled back, but the failure may also be that of the answer.
  const isSure = refused && !(error instanceof EngineError && error.status >= 500);
  const found = isSure
    ? undefined
    : await findByStart(context, tenant, row.id).catch(() => "unknown" as const);
  // Its files stay bound to the start. The job settles it.
  if (found === "unknown") throw error;
  if (found) return { id: found.id, ended: found.endTime !== null, tenantId: found.tenantId };
  if (!refused) throw error;
  await undoStart(context.sql, row);
  if (once) await releaseKey(context.sql, once.request, row.id);
  throw refusal(error, row.processKey);
}

/** A refusal with 5xx comes from the model: an expression, a listener, a delegate. */
function refusal(error: unknown, processKey: string): unknown {
  if (!isJudgement(error)) return error;
  if (error.status === 404) return processNotFound(processKey);
  if (error.status < 500) return error;
  const message = `The process could not start. The process engine says: ${error.message}`;
  return new Problem("process_failed", { message, cause: error });
}

/** The instance that a form session has started. Undefined if that is not known yet. */
export async function findStarted(
  context: OperatonContext,
  tenant: Tenant,
  formSession: string,
): Promise<Instance | undefined> {
  const row = await startOfSession(context.sql, tenant.id, formSession);
  return row && instanceOf(context, tenant, row);
}

/** The instance of a start. Undefined if the engine does not know it, or not yet. */
export async function instanceOf(
  context: OperatonContext,
  tenant: Tenant,
  row: StartRow,
): Promise<Instance | undefined> {
  const id = row.processInstanceId ?? (await settledByHistory(context, tenant, row));
  if (!id) return undefined;
  // The engine may have forgotten an instance that ended long ago.
  const ended = { processInstanceId: id, processKey: row.processKey, state: "completed" } as const;
  return (await findInstance(context, tenant, id)) ?? ended;
}

async function settledByHistory(
  context: OperatonContext,
  tenant: Tenant,
  { id }: StartRow,
): Promise<string | undefined> {
  const found = await findByStart(context, tenant, id);
  if (found) await settleStart(context.sql, { id, tenantId: tenant.id }, found.id);
  return found?.id;
}

/** Starts that are looked at in one run of the job. */
const mostSettled = 200;
/** For so long, the engine may still be busy with a start whose answer was lost. */
const mayStillStartSeconds = 600;
const settleEverySeconds = 10;
/** Beyond the time limit of the call: until then, whoever asked may still settle it. */
const graceSeconds = 5;

/** Settles starts whose answer was lost, also those of processes that were killed. */
export const settleJob = (context: OperatonContext) => ({
  name: "settle-starts",
  everySeconds: settleEverySeconds,
  run: () => settleLost(context),
});

async function settleLost(context: OperatonContext): Promise<void> {
  const { sql, log } = context;
  const seconds = (context.config.engine?.timeoutMs ?? 0) / 1_000 + graceSeconds;
  for (const row of await unsettledStarts(sql, { seconds, limit: mostSettled })) {
    const found = await findByStart(context, row, row.id);
    const facts = { tenant_id: row.tenantId, start: row.id, process_instance_id: found?.id };
    if (found) await settleStart(sql, row, found.id);
    else if (row.ageSeconds > mayStillStartSeconds) await undoStart(sql, row);
    else continue;
    log.info(
      facts,
      found ? "Lost start found at the engine" : "Lost start undone: the engine does not know it",
    );
  }
}

const isSecondStart = (error: unknown) =>
  error instanceof postgres.PostgresError && error.constraint_name === "engine_starts_session";

function alreadyStarting(): never {
  throw new Problem("busy", { message: "The form is being submitted already. Try again in a moment." });
}

const processNotFound = (key: string) =>
  new Problem("process_not_found", { message: `No process "${key}" is deployed.` });
