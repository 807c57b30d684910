/**
 * Runs one step of a process instance, in memory. Takes the model, the state after the last step and one event, and
 * returns a snapshot. The engine runs until everything waits, and is then discarded.
 *
 * The snapshot lists the service tasks that wait: the caller has them executed and returns with another event. Timers
 * do not tick here: the snapshot has the time of the next one, and the caller returns at that time. A step fires at
 * most one timer, and only for the event `timerDue`. So a timer that an event interrupts is gone before its turn, and a
 * timer that fails does not hold up the others.
 *
 * The engine is bpmn-elements. See docs/decisions/processes.md.
 */
import { Context, Definition, Environment, type Extension } from "bpmn-elements";
import { modelIdOf, withCopies } from "../../bpmn/copies.ts";
import { createExpressions } from "../../bpmn/expressions.ts";
import type { ProcessModel } from "../../bpmn/readModel.ts";
import { ProcessFailure, processFailureOf } from "./processFailure.ts";
import { readState, stateTextOf } from "./stateText.ts";
import { OverBudget, type PendingTask, type Waiting, watchStep } from "./stepWatch.ts";
import { evaluateOwners, type Owners } from "./taskOwners.ts";
import { type RecordedTimer, type RecordedTimers, recordedTimers } from "./timers.ts";

export type EngineEvent =
  | { readonly kind: "started" }
  /** Fires the first timer that is due, except those of these executions. */
  | { readonly kind: "timerDue"; readonly except: ReadonlySet<string> }
  | { readonly kind: "userTaskCompleted"; readonly executionId: string }
  | { readonly kind: "serviceTaskCompleted"; readonly executionId: string }
  /** A BPMN error, for a boundary event to catch. */
  | { readonly kind: "serviceTaskRejected"; readonly executionId: string; readonly code: string };

export interface WaitingUserTask extends Waiting {
  /** Absent if the task was open before the step. */
  readonly owners?: Owners;
}

export interface Snapshot {
  /** The input of the next step. Undefined if the instance has ended. */
  readonly state: string | undefined;
  readonly userTasks: readonly WaitingUserTask[];
  readonly serviceTasks: readonly Waiting[];
  /** The time of the earliest timer. */
  readonly nextTimer: Date | undefined;
  /** The time of the earliest timer that the step does not except: when the caller must return. */
  readonly nextTurn: Date | undefined;
  /**
   * The conditions that the step has evaluated, in their order. With the state and the event they decide its result.
   * Undefined if the time decides as well.
   */
  readonly decisions: readonly Decision[] | undefined;
}

export interface Decision {
  /** Its text. */
  readonly condition: string;
  readonly holds: boolean;
}

export interface StepInput {
  readonly model: ProcessModel;
  /** Undefined to start an instance. */
  readonly state: string | undefined;
  readonly event: EngineEvent;
  /** Plain values by name, for conditions, timers and the owners of tasks. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The executions of the user tasks that are open already. Their owners stay as they are. */
  readonly openTasks?: ReadonlySet<string>;
  /** The database's time. Decides which timers are due, and when durations begin. */
  readonly now?: Date;
  /** The number of events after which the step throws `OverBudget`. */
  readonly budget?: number;
}

/** The instance does not wait for this event, or no longer does. */
export class StaleEvent extends Error {
  override readonly name = "StaleEvent";
}

/** Throws `ProcessFailure`, `StaleEvent` and `OverBudget`. */
export function runStep(input: StepInput): Snapshot {
  const { model, state, event, values, now = new Date(), budget } = input;
  const decisions: Decision[] = [];
  let evaluated = false;
  const services = new Map<string, PendingService>();
  const tasks = new Map<string, PendingTask>();
  const timers = recordedTimers(now);
  const environment = new Environment({
    expressions: createExpressions(
      () => {
        evaluated = true;
        return values;
      },
      (condition, holds) => decisions.push({ condition, holds }),
    ),
    extensions: { service: holdServices(services) },
    scripts: noScripts,
    Logger: silent,
    timers,
  });
  const stored = state === undefined ? undefined : readState(state);
  const definition = new Definition(Context(withCopies(model.source, stored?.copies), environment));
  const watch = watchStep(definition, tasks, budget);
  let due: RecordedTimer | undefined;
  try {
    if (stored) definition.recover(stored.state as never).resume();
    else definition.run();
    watch.throwIfFailed();
    if (event.kind === "timerDue") due = firstDue(timers, event.except);
    if (due) timers.fire(due);
    apply(event, { services, tasks });
    watch.throwIfFailed();
    const except = event.kind === "timerDue" ? event.except : undefined;
    const snapshot = snapshotOf(definition, { services, tasks, timers, except });
    return withOwners({ ...snapshot, decisions: timers.wereSet ? undefined : decisions }, input);
  } catch (error) {
    if (error instanceof StaleEvent) throw error;
    if (watch.isOverBudget()) throw new OverBudget();
    const stopped = processFailureOf(error);
    if (stopped.ofModel && !evaluated) stopped.isFinal = true;
    if (due) stopped.timer = { activityId: modelIdOf(due.owner.id), executionId: due.owner.executionId };
    throw stopped;
  }
}

interface Owned extends Pick<StepInput, "values" | "openTasks"> {
  readonly model: Pick<ProcessModel, "userTasks">;
}

/** A step fails if it is not known whose a new task is. Nobody may complete such a task. */
export function withOwners<Step extends Pick<Snapshot, "userTasks">>(
  step: Step,
  { model, values, openTasks }: Owned,
): Step {
  const ownersOf = ({ activityId, executionId }: Waiting) => {
    if (openTasks?.has(executionId)) return undefined;
    const task = model.userTasks.get(activityId);
    if (!task) throw new ProcessFailure(`The model has no user task "${activityId}".`);
    return { owners: evaluateOwners(activityId, task.owners, values) };
  };
  return { ...step, userTasks: step.userTasks.map((task) => ({ ...task, ...ownersOf(task) })) };
}

/** Undefined if none is due: a job may come early, and a timer that failed has an incident. */
const firstDue = (timers: RecordedTimers, except: ReadonlySet<string>) =>
  timers.waiting().find(({ owner }) => owner.expireAt <= timers.now && !except.has(owner.executionId));

interface Held {
  readonly services: ReadonlyMap<string, PendingService>;
  readonly tasks: ReadonlyMap<string, PendingTask>;
  readonly timers: RecordedTimers;
  /** The executions of timers that the step does not fire. */
  readonly except: ReadonlySet<string> | undefined;
}

function snapshotOf(
  definition: Definition,
  { services, tasks, timers, except }: Held,
): Omit<Snapshot, "decisions"> {
  const waiting = waitingIn(definition);
  const still = ({ waiting: { executionId } }: { waiting: Waiting }) => waiting.has(executionId);
  // The library leaves the timers within a sub-process that an event has interrupted.
  const moments = timers.waiting().filter(({ owner }) => waiting.has(owner.parent.executionId));
  for (const { owner } of moments) requireNear(owner);
  const snapshot = {
    state: definition.isRunning ? stateTextOf(definition) : undefined,
    userTasks: [...tasks.values()].filter(still).map(({ waiting }) => waiting),
    serviceTasks: [...services.values()].filter(still).map(({ waiting }) => waiting),
    nextTimer: moments[0]?.owner.expireAt,
    nextTurn: moments.find(({ owner }) => !except?.has(owner.executionId))?.owner.expireAt,
  };
  if (isStuck(snapshot)) throw stuck(definition);
  return snapshot;
}

/** PostgreSQL cannot store a later time. */
const lastMoment = new Date("9999-12-31T23:59:59Z");

function requireNear({ id, expireAt }: RecordedTimer["owner"]): void {
  if (!(expireAt <= lastMoment))
    throw new ProcessFailure(`The time of "${modelIdOf(id)}" is after the year 9999.`);
}

/** The instance is active, but nothing that it waits for can ever happen. */
const isStuck = ({ state, userTasks, serviceTasks, nextTimer }: Omit<Snapshot, "decisions">) =>
  state !== undefined && userTasks.length + serviceTasks.length === 0 && nextTimer === undefined;

function stuck(definition: Definition): ProcessFailure {
  const joins = [...new Set(targetsOf(definition))].map((id) => `"${id}"`).join(", ");
  return new ProcessFailure(
    `The process would never end: not all paths that lead to ${joins || "its end"} were taken.`,
    { ofModel: true },
  );
}

/** The targets of taken flows whose tokens still wait, in all sub-processes. */
function targetsOf(scope: Pick<Definition, "getPostponed">, seen = new Set<unknown>()): string[] {
  return scope.getPostponed().flatMap((waiting) => {
    const { executionId, targetId } = waiting.content as { executionId?: string; targetId?: string };
    if (targetId !== undefined) return [targetId];
    if (waiting.type !== "bpmn:SubProcess" || seen.has(executionId)) return [];
    return targetsOf(waiting as never, seen.add(executionId));
  });
}

/** The executions that have not ended, in all sub-processes. */
function waitingIn(scope: Pick<Definition, "getPostponed">, found = new Set<string>()): Set<string> {
  for (const activity of scope.getPostponed()) {
    const { executionId } = activity.content as { executionId: string };
    if (found.has(executionId)) continue;
    found.add(executionId);
    if (activity.type === "bpmn:SubProcess") waitingIn(activity as never, found);
  }
  return found;
}

interface PendingService {
  readonly waiting: Waiting;
  readonly done: (error: Error | null, output?: unknown) => void;
}

function apply(
  event: EngineEvent,
  { services, tasks }: { services: Map<string, PendingService>; tasks: ReadonlyMap<string, PendingTask> },
): void {
  if (event.kind === "started" || event.kind === "timerDue") return;
  if (event.kind === "userTaskCompleted") {
    found(tasks.get(event.executionId)).complete();
    return;
  }
  const { done } = found(services.get(event.executionId));
  services.delete(event.executionId);
  const rejected = event.kind === "serviceTaskRejected";
  done(rejected ? Object.assign(new Error(`BPMN error ${event.code}`), { code: event.code }) : null);
}

function found<T>(waiting: T | undefined): T {
  if (waiting === undefined) throw new StaleEvent();
  return waiting;
}

/** Makes service tasks wait. Called again for each waiting service task when an instance is recovered. */
const holdServices =
  (services: Map<string, PendingService>): Extension =>
  (activity) => {
    if (activity.type !== "bpmn:ServiceTask") return inert;
    activity.behaviour.Service = function Service() {
      let executionId: string;
      const forget = () => services.delete(executionId);
      return {
        execute({ content }: { content: { executionId: string } }, done: PendingService["done"]) {
          executionId = content.executionId;
          services.set(executionId, { waiting: { activityId: modelIdOf(activity.id), executionId }, done });
        },
        discard: forget,
        stop: forget,
      };
    };
    return inert;
  };

const inert = { activate: () => {}, deactivate: () => {} };

/** The default logger reads the environment for every instance. */
const silent = () => ({ debug: () => {}, error: () => {}, warn: () => {} });

/** Deployment refuses scripts. This makes sure that none runs. */
const noScripts = { register: () => undefined, getScript: () => undefined } as never;
