/**
 * One step of a process instance, in memory alone: the model, what the engine knew after the last step and one event
 * in; where the instance stands then out. The engine runs until nothing moves by itself, and is thrown away.
 *
 * Service tasks are only noted: whoever stores the step has them carried out, and comes back with another event. Timers
 * never tick here: the next moment is told, and at that moment somebody comes back. A step fires one timer at most, and
 * only if that is what it is about: so what an event interrupts is gone before another timer's turn, and a timer that
 * cannot go on stands in no other's way.
 *
 * The engine is bpmn-elements, the part of bpmn-engine that runs a definition: bpmn-engine's own shell copies every
 * event once more, and a step took twice as long.
 */
import { Context, Definition, Environment, type Extension } from "bpmn-elements";
import { createExpressions, ExpressionError } from "../../bpmn/expressions.ts";
import type { ProcessModel } from "../../bpmn/readModel.ts";
import { type RecordedTimer, type RecordedTimers, recordedTimers } from "./timers.ts";

export type EngineEvent =
  | { readonly kind: "started" }
  /** The first timer that is due, but for those of these executions. */
  | { readonly kind: "timerDue"; readonly except: ReadonlySet<string> }
  | { readonly kind: "userTaskCompleted"; readonly executionId: string }
  | { readonly kind: "serviceTaskCompleted"; readonly executionId: string }
  /** A BPMN error, which a boundary event has to catch. */
  | { readonly kind: "serviceTaskRejected"; readonly executionId: string; readonly code: string };

/** An activity that waits for somebody. */
export interface Waiting {
  readonly activityId: string;
  /** The engine's own id of this pass through the activity. */
  readonly executionId: string;
}

export interface Snapshot {
  /** What the next step goes on from; undefined where the instance has ended. */
  readonly state: string | undefined;
  readonly userTasks: readonly Waiting[];
  readonly serviceTasks: readonly Waiting[];
  /** The earliest that waits. */
  readonly nextTimer: Date | undefined;
  /** The earliest but for those that the step excepts: when somebody has to come back. */
  readonly nextTurn: Date | undefined;
}

export interface StepInput {
  readonly model: ProcessModel;
  /** Undefined for an instance that starts. */
  readonly state: string | undefined;
  readonly event: EngineEvent;
  /** Plain values, by name, that conditions and timers read. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The database's time: timers are due, and durations begin, by it. */
  readonly now?: Date;
  /** Events after which `OverBudget` is thrown. */
  readonly budget?: number;
}

/** The step is longer than its caller wants to wait for here. */
export class OverBudget extends Error {
  override readonly name = "OverBudget";
}

/** The model itself stands in the way: no condition holds, an expression fails, an error is not caught. */
export class ProcessFailure extends Error {
  override readonly name = "ProcessFailure";
  /** The timer's event that was to happen, where the step was about one. */
  timer?: Waiting;
}

/** The event is about something that the instance does not wait for, or no longer. */
export class StaleEvent extends Error {
  override readonly name = "StaleEvent";
}

/** Throws `ProcessFailure`, `StaleEvent` and `OverBudget`; then the step has not happened. */
export function runStep({ model, state, event, values, now = new Date(), budget }: StepInput): Snapshot {
  const services = new Map<string, PendingService>();
  const tasks = new Map<string, PendingTask>();
  const timers = recordedTimers(now);
  const environment = new Environment({
    expressions: createExpressions(() => values),
    extensions: { service: holdServices(services) },
    scripts: noScripts,
    Logger: silent,
    timers,
  });
  const definition = new Definition(Context(model.source, environment));
  const heard = listen(definition, tasks, budget);
  let due: RecordedTimer | undefined;
  try {
    if (state === undefined) definition.run();
    else definition.recover(JSON.parse(state)).resume();
    heard.requireWell();
    if (event.kind === "timerDue") due = firstDue(timers, event.except);
    if (due) timers.fire(due);
    apply(event, { services, tasks });
    heard.requireWell();
    const except = event.kind === "timerDue" ? event.except : undefined;
    return snapshotOf(definition, { services, tasks, timers, except });
  } catch (error) {
    if (error instanceof StaleEvent) throw error;
    if (heard.isOverBudget()) throw new OverBudget();
    const stopped = failed(error);
    if (due) stopped.timer = { activityId: due.owner.id, executionId: due.owner.executionId };
    throw stopped;
  }
}

/** Undefined where none is due: jobs may come early, and one that failed is left to its incident. */
const firstDue = (timers: RecordedTimers, except: ReadonlySet<string>) =>
  timers.waiting().find(({ owner }) => owner.expireAt <= timers.now && !except.has(owner.executionId));

interface Held {
  readonly services: ReadonlyMap<string, PendingService>;
  readonly tasks: ReadonlyMap<string, PendingTask>;
  readonly timers: RecordedTimers;
  /** Timers whose turn is over, by their executions. */
  readonly except: ReadonlySet<string> | undefined;
}

function snapshotOf(definition: Definition, { services, tasks, timers, except }: Held): Snapshot {
  const waiting = waitingIn(definition);
  const still = ({ waiting: { executionId } }: { waiting: Waiting }) => waiting.has(executionId);
  const moments = timers.waiting();
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

/** Characters of a state. Of a thousand timers it has half of this. */
const largestState = 8 * 1024 ** 2;

function stateTextOf(definition: Definition): string {
  const text = JSON.stringify(definition.getState());
  if (text.length <= largestState) return text;
  throw new ProcessFailure("So much waits in the process that its state is larger than 8 MiB.");
}

/** The database keeps no moment beyond, and nobody waits for one. */
const lastMoment = new Date("9999-12-31T23:59:59Z");

function requireNear({ id, expireAt }: RecordedTimer["owner"]): void {
  if (!(expireAt <= lastMoment)) throw new ProcessFailure(`The time of "${id}" is beyond the year 9999.`);
}

/** It goes on, but nothing could ever bring it further: better said now than waited for. */
const isStuck = ({ state, userTasks, serviceTasks, nextTimer }: Snapshot) =>
  state !== undefined && userTasks.length + serviceTasks.length === 0 && nextTimer === undefined;

function stuck(definition: Definition): ProcessFailure {
  const joins = [...new Set(targetsOf(definition))].map((id) => `"${id}"`).join(", ");
  return new ProcessFailure(
    `The process would wait for ever: not all paths that lead to ${joins || "its end"} were taken.`,
  );
}

/** What the flows lead to that were taken and have not gone on, at whatever depth. */
function targetsOf(scope: Pick<Definition, "getPostponed">, seen = new Set<unknown>()): string[] {
  return scope.getPostponed().flatMap((waiting) => {
    const { executionId, targetId } = waiting.content as { executionId?: string; targetId?: string };
    if (targetId !== undefined) return [targetId];
    if (waiting.type !== "bpmn:SubProcess" || seen.has(executionId)) return [];
    return targetsOf(waiting as never, seen.add(executionId));
  });
}

/** The executions that have not come to their end, at whatever depth. */
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

interface PendingTask {
  readonly waiting: Waiting;
  readonly complete: () => void;
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

/** Called again for every service task in flight when an instance goes on. */
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
          services.set(executionId, { waiting: { activityId: activity.id, executionId }, done });
        },
        discard: forget,
        stop: forget,
      };
    };
    return inert;
  };

const inert = { activate: () => {}, deactivate: () => {} };

/** Activities entered in one step. A loop in which nothing waits would never end, and nobody else would be served. */
const longestStep = 1_000;
/** Events of one step, each counted once for every scope that it passes through: what a step costs. */
const mostEvents = 20_000;
/** Milliseconds. A step that is longer is given up, however few its events are. */
export const longestStepMs = 2_000;

interface EngineMessage {
  readonly content: {
    readonly id: string;
    readonly type: string;
    readonly executionId: string;
    readonly error?: unknown;
    /** `path` is the scopes around the parent. */
    readonly parent?: { readonly path?: readonly unknown[] };
  };
}

const tooLong = "The step is too long: ";
const isItALoop = " Perhaps there is a loop in which nothing waits.";
/** What is said of a step whose thread was ended. */
export const tooLongMessage = `${tooLong}more than ${longestStepMs / 1000} seconds.${isItALoop}`;

interface Heard {
  /** Throws what ended the step, also where the library has caught it. */
  requireWell(): void;
  isOverBudget(): boolean;
}

/** Notes the user tasks that wait, and what ends the step. */
function listen(
  definition: Definition,
  tasks: Map<string, PendingTask>,
  budget = Number.POSITIVE_INFINITY,
): Heard {
  const until = performance.now() + longestStepMs;
  let [entered, events, isOver] = [0, 0, false];
  let error: unknown;
  const fail = (message: string): never => {
    error = new ProcessFailure(message);
    throw error;
  };
  const count = ({ parent }: EngineMessage["content"]) => {
    events += 1 + (parent?.path?.length ?? 0);
    if (events > budget) {
      isOver = true;
      throw new OverBudget();
    }
    if (events > mostEvents) fail(`${tooLong}more than ${mostEvents} events.${isItALoop}`);
    if (performance.now() > until) fail(tooLongMessage);
  };
  const hear = (key: string, message: EngineMessage) => {
    const { content } = message;
    count(content);
    if (key === "activity.enter" && ++entered > longestStep)
      fail(`It passes more than ${longestStep} activities and none of them waits: a loop without an end.`);
    if (key === "definition.error") error ??= content.error;
    if (key !== "activity.wait" || content.type !== "bpmn:UserTask") return;
    const waiting = { activityId: content.id, executionId: content.executionId };
    const complete = () => definition.getApi(message as never).signal();
    tasks.set(waiting.executionId, { waiting, complete });
  };
  definition.broker.subscribeTmp("event", "#", (key, message) => hear(key, message as EngineMessage), {
    noAck: true,
  });
  const requireWell = () => {
    if (isOver) throw new OverBudget();
    if (error !== undefined) throw error;
  };
  return { requireWell, isOverBudget: () => isOver };
}

/** Its own looks at the environment for every instance. */
const silent = () => ({ debug: () => {}, error: () => {}, warn: () => {} });

/** Scripts are refused when a model is deployed; this makes sure of it. */
const noScripts = { register: () => undefined, getScript: () => undefined } as never;

/** What the engine throws, as a sentence that anyone of the tenant may read: no variable's value is in it. */
function failed(cause: unknown): ProcessFailure {
  const chain = chainOf(cause);
  const own = chain.find((error) => error instanceof ProcessFailure);
  if (own) return own;
  const found = chain.find((error) => error instanceof ExpressionError);
  const stuck = /^<(.+)> no conditional flow taken$/.exec((cause as Error).message)?.[1];
  const uncaught = chain.find(({ code }) => code !== undefined)?.code;
  if (found instanceof ExpressionError) return new ProcessFailure(found.message, { cause });
  if (stuck)
    return new ProcessFailure(`No condition behind "${stuck}" holds, and it has no default flow.`, { cause });
  if (uncaught) return new ProcessFailure(`Nothing catches the BPMN error ${uncaught}.`, { cause });
  const activity = chain.map(({ source }) => source?.content?.id).find((id) => id !== undefined);
  const where = activity === undefined ? "here" : `"${activity}"`;
  if (chain.some(({ message }) => /ISO 8601|Invalid (Date|time value)/i.test(message)))
    return new ProcessFailure(`The time of ${where} is no date and no duration of ISO 8601.`, { cause });
  return new ProcessFailure(`The engine cannot go on from ${where}; the log knows more.`, { cause });
}

interface EngineError extends Error {
  readonly code?: string;
  readonly inner?: EngineError;
  /** The message of the activity that it happened in. */
  readonly source?: { readonly content?: { readonly id?: string } };
}

/** The engine wraps errors, and keeps the one within as `inner`. */
function chainOf(error: unknown): EngineError[] {
  const chain: EngineError[] = [];
  let at = error as EngineError | undefined;
  while (at instanceof Error && chain.length < 5) {
    chain.push(at);
    at = at.inner ?? (at.cause as EngineError | undefined);
  }
  return chain;
}
