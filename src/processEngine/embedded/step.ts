/**
 * A step of an instance, stored: the row is locked, the engine runs in memory on the variables with what is written now,
 * and where the instance stands then goes back with everything that waits, and with the jobs for it, all in one
 * transaction. So no step is lost, done twice, or half.
 *
 * Statements that need nothing of each other are sent together: a transaction is three round trips.
 */
import type { Sql, Tx } from "../../database/connect.ts";
import type { Deps } from "../../deps.ts";
import { notCommitted } from "../../formFiles/commit.ts";
import { type Binding, boundAmong, commitAll } from "../../formFiles/queries.ts";
import type { Queue } from "../../jobs/jobs.ts";
import { Problem } from "../../problem.ts";
import type { StoredVariable } from "../../processEngine.ts";
import { attachmentIdsOf, withFacts } from "../../variables/attachments.ts";
import { readVariables, writeVariables } from "../../variables/queries.ts";
import { plainValues, readView } from "../../variables/show.ts";
import type { ShownVariables } from "../../variables/variable.ts";
import type { ProcessModel } from "../model/readModel.ts";
import type { ServiceTaskJob } from "../serviceTask.ts";
import type { Models } from "./models.ts";
import { type InstanceRow, type LockedInstance, lockInstance, storeStanding } from "./queries.ts";
import { type EngineEvent, NothingWaits, ProcessFailure, runStep, type Standing } from "./run.ts";
import { recordTransaction } from "./transactions.ts";

export interface TimerJob {
  readonly process_instance_id: string;
  readonly tenant_id: number;
}

/** What the parts of the embedded engine share. */
export interface Within {
  readonly sql: Sql;
  readonly log: Deps["log"];
  readonly models: Models;
  readonly serviceTasks: Queue<ServiceTaskJob>;
  readonly timers: Queue<TimerJob>;
}

export type Variables = ReadonlyMap<string, StoredVariable>;

export interface Step {
  readonly tenantId: number;
  readonly processInstanceId: string;
  readonly event: EngineEvent;
  readonly written?: Variables;
  /** The user task that writes them. */
  readonly taskId?: string;
  /** Closes what the event is about; whether it was open. Every step locks its instance first, so none deadlock. */
  readonly close?: () => Promise<boolean>;
}

/**
 * Locks the instance, writes the variables, and goes on with the event. Throws `NothingWaits` for an instance that has
 * ended or does not wait for this, `process_failed` and `not_committed`.
 */
export async function advance(tx: Tx, within: Within, step: Step): Promise<void> {
  const { tenantId, processInstanceId: id, event, taskId = null } = step;
  const [instance, before, closed, written] = await Promise.all([
    lockInstance(tx, id, tenantId),
    readVariables(tx, id),
    step.close?.() ?? true,
    withFacts(tx, tenantId, step.written ?? new Map()),
  ]);
  if (instance?.state !== "active" || !closed) throw new NothingWaits();
  const to = { tenantId, processInstanceId: id, taskId };
  if (isAnswer(event)) await bindWhatFits(tx, written, to);
  else await bind(tx, written, to);
  const variables: ShownVariables = new Map([...before, ...written]);
  const model = await within.models.of(tx, instance.definitionId);
  const standing = runEngine(model, { state: stateOf(instance), event, variables });
  const known = new Set(instance.serviceTasks);
  await Promise.all([
    written.size > 0 && writeVariables(tx, id, written),
    ...store(tx, within, { instance, model, standing, variables, known }),
  ]);
}

/** Binds what the variables name. Throws `not_committed`. */
export async function bind(tx: Tx, variables: Variables, to: Binding): Promise<void> {
  const ids = attachmentIdsOf(variables);
  if (ids.length === 0) return;
  const first = await commitAll(tx, ids, to);
  if (first.committed) return;
  // One that the instance has already, by another task, is fine where it is.
  const bound = new Set(await boundAmong(tx, ids, to));
  const drafts = ids.filter((id) => !bound.has(id));
  const second =
    drafts.length < ids.length && (drafts.length === 0 || (await commitAll(tx, drafts, to)).committed);
  if (!second) throw notCommitted(first.notCommitted);
}

const isAnswer = ({ kind }: EngineEvent) => kind === "serviceTaskCompleted" || kind === "serviceTaskRejected";

/**
 * What an integration answers may look like the metadata of a file and be a record of its own, and nobody could correct
 * it: what cannot be bound is data like any other. A URL for it is not issued.
 */
async function bindWhatFits(tx: Tx, variables: Variables, to: Binding): Promise<void> {
  const ids = attachmentIdsOf(variables);
  const first = ids.length === 0 ? undefined : await commitAll(tx, ids, to);
  if (first === undefined || first.committed) return;
  const fitting = ids.filter((id) => !first.notCommitted.includes(id.toLowerCase()));
  if (fitting.length > 0) await commitAll(tx, fitting, to);
}

/** Throws `process_failed`. */
export function runEngine(
  model: ProcessModel,
  step: {
    readonly state: string | undefined;
    readonly event: EngineEvent;
    readonly variables: ShownVariables;
  },
): Standing {
  const { state, event, variables } = step;
  try {
    return runStep({ model, state, event, values: plainValues(variables) });
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error;
    throw new Problem("process_failed", { message: error.message, cause: error });
  }
}

export interface Stored {
  readonly instance: InstanceRow;
  readonly model: ProcessModel;
  readonly standing: Standing;
  readonly variables: ShownVariables;
  /** The executions that have their service tasks already. */
  readonly known: ReadonlySet<string>;
}

/** The statements that store where the instance stands, and enqueue what has to be done for it. */
export function store(tx: Tx, within: Within, stored: Stored): Promise<unknown>[] {
  const { instance, model, standing, variables, known } = stored;
  const { id, tenantId } = instance;
  const ended = standing.state === undefined;
  const serviceTasks = standing.serviceTasks.map((waiting) => ({ ...waiting, id: Bun.randomUUIDv7() }));
  const added = serviceTasks.filter(({ executionId }) => !known.has(executionId));
  const statements: Promise<unknown>[] = [
    storeStanding(tx, {
      instance,
      engineState: standing.state === undefined ? null : Bun.zstdCompressSync(standing.state),
      endState: ended ? "completed" : null,
      userTasks: standing.userTasks.map((waiting) => userTaskOf(model, waiting)),
      serviceTasks,
    }),
    recordVariables(tx, within, { instance, variables, state: ended ? "completed" : "active" }),
  ];
  const jobs = added.map((task) => ({ service_task_id: task.id, tenant_id: tenantId, rerun: 0 }));
  if (jobs.length > 0) statements.push(within.serviceTasks.enqueue(tx, jobs));
  const timer = { process_instance_id: id, tenant_id: tenantId };
  if (standing.nextTimer) statements.push(within.timers.enqueue(tx, [timer], standing.nextTimer));
  return statements;
}

/** Brings the instance's row for reports up to date. */
export function recordVariables(
  tx: Tx,
  { sql }: Within,
  now: {
    readonly instance: InstanceRow;
    readonly variables: ShownVariables;
    readonly state?: "active" | "completed";
  },
): Promise<void> {
  const { instance, variables, state = "active" } = now;
  const { processKey, id: processInstanceId } = instance;
  const view = readView(variables, { processKey, processInstanceId });
  return recordTransaction({ sql, tx }, instance, { state, variables: JSON.stringify(view) });
}

function userTaskOf({ userTasks }: ProcessModel, waiting: Standing["userTasks"][number]) {
  const { name = waiting.activityId, formRef = null } = userTasks.get(waiting.activityId) ?? {};
  return { ...waiting, id: Bun.randomUUIDv7(), name, formKey: formRef };
}

const stateOf = ({ engineState }: LockedInstance) =>
  engineState === null ? undefined : Bun.zstdDecompressSync(engineState).toString();
