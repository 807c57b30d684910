/** Service tasks as a worker sees them: the second part of the engine's port. See docs/decisions/service-tasks.md. */
import type { ServiceTaskRun } from "./delivery/deliver.ts";
import type { TypedValues } from "./variables/variable.ts";

/** The code of the BPMN error for a rejected request. */
export const rejectedCode = "INTEGRATION_REJECTED";

/** The contract between an engine and its worker, like that of external tasks in the Camunda 7 family. */
export interface ServiceTasks {
  /**
   * Takes a task and counts the attempt. Undefined if there is nothing to do: the task is completed or cancelled, a
   * later run of the same job has it, or it became an incident because an earlier run ended during the call. `retries`
   * is how often the job was started before.
   */
  claim(job: ServiceTaskJob, retries: number): Promise<ClaimedTask | undefined>;
  /**
   * Call this just before the request is sent: it is not sent again by itself. Throws `LostClaim`: then do not send.
   */
  markSent(task: ClaimedTask): Promise<void>;
  /** The request was marked but not sent: the next attempt may send it. */
  takeBack(task: ClaimedTask): Promise<void>;
  /**
   * An attempt that `claim` returned earlier, perhaps to another server process. Undefined if a later one has begun.
   */
  recall(attempt: Attempt): Promise<ClaimedTask | undefined>;
  complete(task: ClaimedTask, variables: TypedValues): Promise<void>;
  /** Whether a boundary event catches this BPMN error. */
  catchesError(task: ClaimedTask, code: string): boolean;
  throwError(
    task: ClaimedTask,
    error: { readonly code: string; readonly variables: TypedValues },
  ): Promise<void>;
  fail(task: ClaimedTask, incident: NewIncident): Promise<void>;
}

export interface ServiceTaskJob {
  readonly service_task_id: string;
  readonly tenant_id: number;
  /** How often a person has rerun the task. A job of an earlier run finds nothing to do. */
  readonly rerun: number;
}

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
