/**
 * Runs and stores a step of an instance. One transaction locks the instance's row, runs the engine in memory, and
 * writes the variables, the new state, the tasks and the jobs. So a step happens once and completely, or not at all.
 *
 * One statement locks and closes, and one stores everything (stepQueries.ts).
 */

import type { BindingUser } from "../../../files/attachments/actor.ts";
import type { Tx } from "../../../infrastructure/database/connect.ts";
import type { Addition } from "../../../infrastructure/jobs/queue.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import { keepingAnswer, type Once } from "../../../tenants/idempotency/once.ts";
import { withServerMetadata } from "../../variables/attachments.ts";
import { bindAttachments, bindWhatFits } from "../../variables/binding.ts";
import { readView } from "../../variables/show.ts";
import type { ShownVariables, StoredVariable } from "../../variables/variable.ts";
import type { EngineContext } from "./engineContext.ts";
import {
  type Closing,
  type InstanceRow,
  type LockedInstance,
  lockInstance,
  type TimerJobRow,
} from "./instanceQueries.ts";
import type { Model } from "./models.ts";
import { type EngineEvent, StaleEvent } from "./run.ts";
import { runElsewhere, runHere } from "./runEngine.ts";
import { type NewServiceTask, type StepRows, storeStep } from "./stepQueries.ts";
import { type StepDone, type StepGiven, valuesFor } from "./storedStep.ts";
import type { ReportRow } from "./transactions.ts";
import { requireRoom } from "./variableLimits.ts";
import { readVariables } from "./variableQueries.ts";

export type Variables = ReadonlyMap<string, StoredVariable>;

export interface Step {
  readonly tenantId: number;
  readonly processInstanceId: string;
  readonly event: EngineEvent;
  readonly written?: Variables;
  /** The user task that writes the variables. */
  readonly taskId?: string;
  /** The user whose uploads the variables may name. Absent: any uploads of the tenant. */
  readonly by?: BindingUser | undefined;
  /** Closes the task of the event. */
  readonly closing?: Closing;
  /** The request that asks for the step. Its answer is kept with it. */
  readonly once?: Once<void> | undefined;
}

/** How often a step starts again, because the instance has changed while another thread ran it. */
const mostRounds = 5;

/**
 * Writes the variables and applies the event, in one transaction. While another thread runs a step, it holds no lock
 * and no connection: the result is stored if the instance is still as it was, and computed again if not. Throws
 * `StaleEvent` if the instance has ended or does not wait for the event, `process_failed`, `not_committed`,
 * `variables_too_large` and `busy`.
 */
export async function advance(context: EngineContext, step: Step): Promise<void> {
  let ran: Ran | undefined;
  for (let round = 0; round < mostRounds; round++) {
    try {
      return await context.sql.begin((tx) =>
        keepingAnswer(tx, step.once, () => advanceWithin(tx, context, { step, ran })),
      );
    } catch (error) {
      if (!(error instanceof OutsideFirst)) throw error;
      ran = await error.work();
    }
  }
  throw new Problem("busy", {
    message: "The process instance is busy with other steps. Try again later.",
    headers: { "Retry-After": "2" },
  });
}

/** The result of another thread, and its input. */
interface Ran {
  readonly given: StepGiven;
  readonly done: StepDone;
}

/** Rolls the transaction back, because some work has to be done before it. */
class OutsideFirst extends Error {
  override readonly name = "OutsideFirst";

  constructor(readonly work: () => Promise<Ran | undefined>) {
    super("work has to be done before the transaction");
  }
}

interface Round {
  readonly step: Step;
  readonly ran: Ran | undefined;
}

async function advanceWithin(tx: Tx, context: EngineContext, { step, ran }: Round): Promise<void> {
  const { tenantId, processInstanceId: id, event, closing, taskId = null, by } = step;
  const [instance, before, written] = await Promise.all([
    lockInstance(tx, { id, tenantId, ...(closing && { closing }) }),
    readVariables(tx, id),
    withServerMetadata(tx, tenantId, step.written ?? new Map()),
  ]);
  if (instance?.state !== "active" || !instance.closed) throw new StaleEvent();
  const model = context.models.known(instance.definitionId);
  if (!model)
    throw new OutsideFirst(() => context.models.of(context.sql, instance.definitionId).then(() => undefined));
  const variables: ShownVariables = new Map([...before, ...written]);
  if (written.size > 0) requireRoom({ before, after: variables }, event);
  const given = {
    engineState: instance.engineState,
    event,
    values: valuesFor(model, variables),
    openTasks: instance.userTasks,
    now: new Date(instance.now),
  };
  const done = ran && isSame(ran.given, given) ? ran.done : runOrLeave(context, { model, tenantId }, given);
  const to = { tenantId, processInstanceId: id, taskId, actor: by };
  await (isAnswer(event) ? bindWhatFits : bindAttachments)(tx, written, to);
  const now = given.now;
  const rows = await rowsOf(context, { instance, model, done, variables, written, event, now });
  if (instance.timer && rows.timer?.job !== instance.timer.job)
    await context.timers.remove(tx, [instance.timer.job]);
  await storeStep(tx, instance, rows);
}

/** Runs the step here. Throws `OutsideFirst` if another thread must run it. */
function runOrLeave(
  context: EngineContext,
  of: { readonly model: Model; readonly tenantId: number },
  given: StepGiven,
): StepDone {
  const done = runHere(of.model, given);
  if (done) return done;
  throw new OutsideFirst(async () => ({ given, done: await runElsewhere(context, of, given) }));
}

/** Whether two steps have the same result. Their times may differ. */
function isSame(one: StepGiven, other: StepGiven): boolean {
  const [a, b] = [one.engineState ?? new Uint8Array(), other.engineState ?? new Uint8Array()];
  if (Buffer.compare(a, b) !== 0 || one.values.size !== other.values.size) return false;
  return [...one.values].every(([name, { type, value }]) => {
    const now = other.values.get(name);
    return now?.type === type && now.value === value;
  });
}

const isAnswer = ({ kind }: EngineEvent) => kind === "serviceTaskCompleted" || kind === "serviceTaskRejected";

export interface RanStep {
  readonly instance: InstanceRow & Partial<Pick<LockedInstance, "serviceTasks" | "timer">>;
  readonly model: Model;
  readonly done: StepDone;
  readonly variables: ShownVariables;
  readonly written: Variables;
  readonly event: EngineEvent;
  /** The database's time. */
  readonly now: Date;
}

/** What is stored after a step. */
export async function rowsOf(context: EngineContext, ran: RanStep): Promise<StepRows> {
  const { instance, model, done, variables, written } = ran;
  const state = done.engineState === null ? "completed" : "active";
  const serviceTasks = done.serviceTasks.map((waiting) => ({ ...waiting, id: Bun.randomUUIDv7() }));
  const timer = nextTimerJob(ran);
  return {
    engineState: done.engineState,
    endState: state === "active" ? null : state,
    written,
    userTasks: done.userTasks.map((waiting) => userTaskOf(model, waiting)),
    serviceTasks,
    timer,
    report: reportOf(instance, variables, state),
    jobs: await Promise.all([...taskJobs(context, ran, serviceTasks), ...timerJobs(context, ran, timer)]),
  };
}

function taskJobs(
  { serviceTasks: queue }: EngineContext,
  { instance: { id: process_instance_id, tenantId: tenant_id, serviceTasks: known = [] } }: RanStep,
  waiting: readonly NewServiceTask[],
): Promise<Addition>[] {
  const added = waiting.filter(({ executionId }) => !known.includes(executionId));
  const jobOf = ({ id }: NewServiceTask) => ({
    service_task_id: id,
    process_instance_id,
    tenant_id,
    rerun: 0,
  });
  return added.length > 0 ? [queue.addition(added.map((task) => ({ data: jobOf(task) })))] : [];
}

function timerJobs(
  { timers }: EngineContext,
  { instance: { id, tenantId, timer: known } }: RanStep,
  timer: TimerJobRow | null,
): Promise<Addition>[] {
  if (!timer || timer.job === known?.job) return [];
  const data = { process_instance_id: id, tenant_id: tenantId };
  return [timers.addition([{ id: timer.job, data, at: new Date(timer.at) }])];
}

/**
 * The one job that waits for the next timer. Keeps the present job if it is for the same time and has not run yet. A
 * step that a timer's job caused has used that job up.
 */
function nextTimerJob({ done: { nextTurn }, instance: { timer }, event, now }: RanStep): TimerJobRow | null {
  if (!nextTurn) return null;
  const at = nextTurn.getTime();
  const waits = event.kind !== "timerDue" && timer?.at === at && at > now.getTime();
  return waits ? timer : { job: Bun.randomUUIDv7(), at };
}

/** The instance's row for reports. */
export function reportOf(
  { processKey, id: processInstanceId }: InstanceRow,
  variables: ShownVariables,
  state: "active" | "completed" = "active",
): ReportRow {
  return { state, variables: JSON.stringify(readView(variables, { processKey, processInstanceId })) };
}

function userTaskOf({ userTasks }: Model, waiting: StepDone["userTasks"][number]) {
  const { name = waiting.activityId, formRef = null } = userTasks.get(waiting.activityId) ?? {};
  const { activityId, executionId, owners } = waiting;
  return { activityId, executionId, id: Bun.randomUUIDv7(), name, formKey: formRef, ...owners };
}
