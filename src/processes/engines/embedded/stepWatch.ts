/** Watches a step: ends one that is too long, and records the user tasks that wait and the error that ends the step. */
import type { Definition } from "bpmn-elements";
import { modelIdOf } from "../../bpmn/copies.ts";
import { ProcessFailure } from "./processFailure.ts";

/** An activity that waits for an event. */
export interface Waiting {
  readonly activityId: string;
  /** The engine's id of this pass through the activity. */
  readonly executionId: string;
}

export interface PendingTask {
  readonly waiting: Waiting;
  readonly complete: () => void;
}

/** The step has more events than its budget. */
export class OverBudget extends Error {
  override readonly name = "OverBudget";
}

/** Activities entered in one step. A loop in which nothing waits would never end, and would block all other work. */
const longestStep = 1_000;
/** The cost of a step: its events, each counted once for every scope that it passes through. */
const mostEvents = 20_000;
/** Milliseconds. A longer step fails, even if it has few events. */
export const longestStepMs = 2_000;
/** Milliseconds that count between two events. A process that was paused in a step did not work all that time. */
const longestGapMs = 200;

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
const mayBeLoop = " The model may have a loop in which nothing waits.";
/** For a step whose thread was ended. */
export const tooLongMessage = `${tooLong}more than ${longestStepMs / 1000} seconds.${mayBeLoop}`;

interface StepWatch {
  /** Throws the error that ended the step, even if the library has caught it. */
  throwIfFailed(): void;
  isOverBudget(): boolean;
}

export function watchStep(
  definition: Definition,
  tasks: Map<string, PendingTask>,
  budget = Number.POSITIVE_INFINITY,
): StepWatch {
  let [entered, events, isOver] = [0, 0, false];
  let [workedMs, last] = [0, performance.now()];
  let error: unknown;
  const fail = (message: string): never => {
    error = new ProcessFailure(message, { ofModel: message !== tooLongMessage });
    throw error;
  };
  const count = ({ parent }: EngineMessage["content"]) => {
    events += 1 + (parent?.path?.length ?? 0);
    if (events > budget) {
      isOver = true;
      throw new OverBudget();
    }
    if (events > mostEvents) fail(`${tooLong}more than ${mostEvents} events.${mayBeLoop}`);
    const now = performance.now();
    workedMs += Math.min(now - last, longestGapMs);
    last = now;
    if (workedMs > longestStepMs) fail(tooLongMessage);
  };
  const onEvent = (key: string, message: EngineMessage) => {
    const { content } = message;
    count(content);
    if (key === "activity.enter" && ++entered > longestStep)
      fail(
        `The process enters more than ${longestStep} activities and none of them waits: it has an endless loop.`,
      );
    if (key === "definition.error") error ??= content.error;
    if (key !== "activity.wait" || content.type !== "bpmn:UserTask") return;
    const waiting = { activityId: modelIdOf(content.id), executionId: content.executionId };
    const complete = () => definition.getApi(message as never).signal();
    tasks.set(waiting.executionId, { waiting, complete });
  };
  definition.broker.subscribeTmp("event", "#", (key, message) => onEvent(key, message as EngineMessage), {
    noAck: true,
  });
  const throwIfFailed = () => {
    if (isOver) throw new OverBudget();
    if (error !== undefined) throw error;
  };
  return { throwIfFailed, isOverBudget: () => isOver };
}
