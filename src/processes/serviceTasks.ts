/** Service tasks as a worker sees them: the second part of the engine's port. See docs/decisions/service-tasks.md. */
import type { ServiceTaskRun } from "./delivery/deliver.ts";
import type { TypedValues } from "./variables/variable.ts";

/** The code of the BPMN error for a rejected request. */
export const rejectedCode = "INTEGRATION_REJECTED";

/**
 * How the worker tells an engine what has come of a task. To claim tasks is the driver's own affair: each has its way
 * to share them among processes.
 */
export interface ServiceTasks {
  /**
   * Call this just before the request is sent: it is not sent again by itself. Throws `LostClaim`: then do not send.
   */
  markSent(task: ClaimedTask): Promise<void>;
  /** The request was marked but not sent: the next attempt may send it. */
  takeBack(task: ClaimedTask): Promise<void>;
  /**
   * An attempt that was claimed earlier, perhaps by another server process. Undefined if a later one has begun.
   */
  recall(attempt: Attempt): Promise<ClaimedTask | undefined>;
  complete(task: ClaimedTask, variables: TypedValues): Promise<void>;
  /** Whether an event catches this BPMN error. */
  catchesError(task: ClaimedTask, code: string): boolean | Promise<boolean>;
  throwError(
    task: ClaimedTask,
    error: { readonly code: string; readonly variables: TypedValues },
  ): Promise<void>;
  fail(task: ClaimedTask, incident: NewIncident): Promise<void>;
}

/** Executes a claimed task. If it throws, nothing was sent, and the task has to be claimed again after a pause. */
export type CarryOut = (task: ClaimedTask, hold: Hold) => Promise<void>;

/** What a process knows about its claim. */
export interface Hold {
  /** How often the task was begun before, since somebody last ran it, without sending anything. */
  readonly retries: number;
  /** Whether no other process can have taken the task. Asked in the tick in which the request is written. */
  isSure(): boolean;
}

/**
 * Service tasks that one process executes at the same time, at most a quarter of them of one tenant. Most of the time
 * they wait for external systems.
 */
export const serviceTasksAtOnce = 256;

export interface Attempt {
  readonly serviceTaskId: string;
  readonly attempt: number;
}

export interface ClaimedTask {
  readonly run: ServiceTaskRun;
  /** The answer to an earlier attempt with which the process could not continue. Nothing is sent again. */
  readonly answered: Answered | undefined;
}

export interface Answered {
  /** The BPMN error's code if the integration rejected the request. */
  readonly error: string | null;
  readonly variables: TypedValues;
}

export interface NewIncident {
  readonly type: string;
  readonly message: string;
  readonly requestSent: "no" | "yes" | "unknown";
}

/** Another worker has the task, or it is no longer open. */
export class LostClaim extends Error {
  override readonly name = "LostClaim";
}
