/** Service tasks as a worker sees them: the part of the engine's port that delivery stands behind (design 9). */
import type { ServiceTaskRun } from "./delivery/deliver.ts";
import type { Variables } from "./delivery/variable.ts";

/** The BPMN error of an integration's refusal (design 9). */
export const rejectedCode = "INTEGRATION_REJECTED";

/** Service tasks as whoever carries them out sees them: the external-task contract of the Camunda 7 family. */
export interface ServiceTasks {
  /**
   * Takes one for this attempt, which it counts. Undefined where there is nothing to do, or no longer: carried out,
   * cancelled, taken by a later run of the same job, or become an incident because an earlier run ended in mid-call.
   * `retries` is how often the job was begun before.
   */
  claim(job: ServiceTaskJob, retries: number): Promise<ClaimedTask | undefined>;
  /** The point of no return, just before the request goes out. Throws `LostClaim`: then it must not go out. */
  markSent(task: ClaimedTask): Promise<void>;
  /** The request was held back after it was marked: the next attempt may send it. */
  takeBack(task: ClaimedTask): Promise<void>;
  /** The attempt that `claim` gave out earlier, perhaps to another process; undefined where it is over for long. */
  recall(attempt: Attempt): Promise<ClaimedTask | undefined>;
  complete(task: ClaimedTask, variables: Variables): Promise<void>;
  /** Whether a boundary event would catch this error. */
  catchesError(task: ClaimedTask, code: string): boolean;
  throwError(
    task: ClaimedTask,
    error: { readonly code: string; readonly variables: Variables },
  ): Promise<void>;
  fail(task: ClaimedTask, incident: NewIncident): Promise<void>;
}

export interface ServiceTaskJob {
  readonly service_task_id: string;
  readonly tenant_id: number;
  /** How often a person has had it run again; a job of an earlier run finds nothing to do. */
  readonly rerun: number;
}

export interface Attempt {
  readonly serviceTaskId: string;
  readonly attempt: number;
}

export interface ClaimedTask {
  readonly run: ServiceTaskRun;
  /** What an earlier attempt was answered, where the process could not go on with it: nothing is sent again. */
  readonly answered: Answered | undefined;
}

export interface Answered {
  /** The BPMN error's code, where the integration refused. */
  readonly error: string | null;
  readonly variables: Variables;
}

export interface NewIncident {
  readonly type: string;
  readonly message: string;
  readonly requestSent: "no" | "yes" | "unknown";
}

/** Somebody else has the task by now, or it is over. */
export class LostClaim extends Error {
  override readonly name = "LostClaim";
}
