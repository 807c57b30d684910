/**
 * One step of a process instance, in memory alone: the model, what the engine knew after the last step and one event
 * in; where the instance stands then out. bpmn-engine runs until nothing moves by itself, and is thrown away.
 *
 * Service tasks are only noted: whoever stores the step has them carried out, and comes back with another event. Timers
 * never tick here: the next moment is told, and at that moment somebody comes back. A timer that is due fires in
 * whatever step comes first.
 */
import { EventEmitter } from "node:events";
import type { Extension } from "bpmn-elements";
import { type BpmnEngineExecutionState, Engine } from "bpmn-engine";
import { createExpressions, ExpressionError } from "../model/expressions.ts";
import type { ProcessModel } from "../model/readModel.ts";
import { recordedTimers } from "./timers.ts";

export type EngineEvent =
  | { readonly kind: "started" }
  | { readonly kind: "timersDue" }
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

export interface Standing {
  /** What the next step goes on from; undefined where the instance has ended. */
  readonly state: string | undefined;
  readonly userTasks: readonly Waiting[];
  readonly serviceTasks: readonly Waiting[];
  readonly nextTimer: Date | undefined;
}

export interface StepInput {
  readonly model: ProcessModel;
  /** Undefined for an instance that starts. */
  readonly state: string | undefined;
  readonly event: EngineEvent;
  /** Plain values, by name, that conditions and timers read. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The model itself stands in the way: no condition holds, an expression fails, an error is not caught. */
export class ProcessFailure extends Error {
  override readonly name = "ProcessFailure";
}

/** The event is about something that the instance does not wait for, or no longer. */
export class NothingWaits extends Error {
  override readonly name = "NothingWaits";
}

/** Throws `ProcessFailure` and `NothingWaits`; then the step has not happened. */
export async function runStep({ model, state, event, values }: StepInput): Promise<Standing> {
  const services = new Map<string, PendingService>();
  const tasks = new Map<string, PendingTask>();
  const timers = recordedTimers();
  const engine = new Engine({
    name: model.processKey,
    sourceContext: model.source,
    expressions: createExpressions(() => values),
    extensions: { service: holdServices(services) },
    scripts: noScripts,
    Logger: silent,
    timers,
  });
  let failure: unknown;
  engine.on("error", (error: unknown) => (failure ??= error));
  try {
    const options = { listener: listenForTasks(tasks) };
    if (state !== undefined) engine.recover(JSON.parse(state));
    const execution = await (state === undefined ? engine.execute(options) : engine.resume(options));
    if (failure === undefined) apply(event, { services, tasks });
    if (failure !== undefined) throw failure;
    const ended = execution.state === "idle";
    return {
      state: ended ? undefined : stateOf(execution.getState()),
      userTasks: [...tasks.values()].map(({ waiting }) => waiting),
      serviceTasks: [...services.values()].map(({ waiting }) => waiting),
      nextTimer: timers.next(),
    };
  } catch (error) {
    throw error instanceof NothingWaits ? error : failed(error);
  }
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
  { services, tasks }: { services: Map<string, PendingService>; tasks: Map<string, PendingTask> },
): void {
  if (event.kind === "started" || event.kind === "timersDue") return;
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
  if (waiting === undefined) throw new NothingWaits();
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

function listenForTasks(tasks: Map<string, PendingTask>): EventEmitter {
  const listener = new EventEmitter();
  let entered = 0;
  listener.on("activity.enter", () => {
    if (++entered > longestStep)
      throw new ProcessFailure(
        `It passes more than ${longestStep} activities and none of them waits: a loop without an end.`,
      );
  });
  listener.on("activity.wait", (api) => {
    if (api.type !== "bpmn:UserTask") return;
    const { executionId } = api.content;
    tasks.set(executionId, { waiting: { activityId: api.id, executionId }, complete: () => api.signal() });
  });
  // Completed, or discarded by a boundary event or by the end of what is around it.
  for (const event of ["activity.execution.completed", "activity.leave", "activity.discard"])
    listener.on(event, (api) => {
      for (const [executionId, { waiting }] of tasks)
        if (waiting.activityId === api.id) tasks.delete(executionId);
    });
  return listener;
}

/** Its own looks at the environment for every instance. */
const silent = () => ({ debug: () => {}, error: () => {}, warn: () => {} });

/** Scripts are refused when a model is deployed; this makes sure of it. */
const noScripts = { register: () => undefined, getScript: () => undefined } as never;

/** Without the model, which every step gets anew. */
function stateOf(state: BpmnEngineExecutionState): string {
  const definitions = state.definitions?.map(({ source: _, ...definition }) => definition);
  return JSON.stringify({ ...state, definitions });
}

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
  return new ProcessFailure("The engine cannot go on from here; the log knows more.", { cause });
}

interface EngineError extends Error {
  readonly code?: string;
  readonly inner?: EngineError;
}

/** bpmn-engine wraps errors, and keeps the one within as `inner`. */
function chainOf(error: unknown): EngineError[] {
  const chain: EngineError[] = [];
  let at = error as EngineError | undefined;
  while (at instanceof Error && chain.length < 5) {
    chain.push(at);
    at = at.inner ?? (at.cause as EngineError | undefined);
  }
  return chain;
}
