/**
 * Executes a service task that a driver has claimed: delivers its request, and reports the outcome to the engine
 * through its port. A task always ends as completed, as an error that its boundary event catches, or as an incident.
 */
import type { Logger } from "pino";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { retriesInSilence } from "../infrastructure/jobs/runner.ts";
import { CallHeldBack, DeliveryFailure } from "../infrastructure/outbound/failure.ts";
import { Problem } from "../infrastructure/problem.ts";
import { deliver } from "./delivery/deliver.ts";
import type { AttemptOutcome, KeptOutcome, Outcomes } from "./serviceTaskOutcomes.ts";
import {
  type ClaimedTask,
  type Hold,
  LostClaim,
  type NewIncident,
  rejectedCode,
  type ServiceTasks,
} from "./serviceTasks.ts";

/**
 * A request may be sent only while its mark is younger than this, in milliseconds, and the claim is sure. So a process
 * that was paused sends nothing when it continues.
 */
const freshMs = 5_000;

export interface CarryOutOptions {
  readonly tasks: ServiceTasks;
  readonly hold: Hold;
  readonly outcomes: Outcomes;
}

/** Throws if nothing was sent and the task has to be claimed again. */
export async function carryOut(
  task: ClaimedTask,
  { tasks, hold, outcomes, ...infrastructure }: Infrastructure & CarryOutOptions,
): Promise<void> {
  if (task.answered) return finish(task, task.answered, tasks);
  const outcome = await attemptOutcome(task, { tasks, hold, ...infrastructure });
  if (outcome) await persist({ task, outcome, tasks, outcomes }, infrastructure);
}

/** The outcome of the attempt. Undefined if another worker has the task. Throws if it must begin again. */
async function attemptOutcome(
  task: ClaimedTask,
  { tasks, hold, ...infrastructure }: Infrastructure & Omit<CarryOutOptions, "outcomes">,
): Promise<AttemptOutcome | undefined> {
  let markedAt = Number.NEGATIVE_INFINITY;
  let requestSent = false;
  const sending = async () => {
    markedAt = performance.now();
    await tasks.markSent(task);
    requestSent = true;
  };
  const mayGoOut = () => hold.isSure() && performance.now() - markedAt < freshMs;
  try {
    return await deliver(task.run, { sending, mayGoOut }, infrastructure);
  } catch (error) {
    if (error instanceof LostClaim) return undefined;
    const { serviceTaskId: service_task_id, attempt } = task.run;
    infrastructure.log.warn({ err: error, service_task_id, attempt }, "Service task attempt failed");
    if (error instanceof CallHeldBack) {
      requestSent = false;
      await tasks.takeBack(task);
    }
    // Nothing was sent, so it can be tried again before a person has to look.
    if (!(error instanceof DeliveryFailure) && !requestSent && hold.retries < retriesInSilence) throw error;
    return { kind: "failed", incident: incidentOf(error, requestSent) };
  }
}

/** Reports the outcome to the engine. A second call changes nothing. */
export function apply(task: ClaimedTask, outcome: AttemptOutcome, tasks: ServiceTasks): Promise<void> {
  if (outcome.kind === "completed") return finish(task, { error: null, variables: outcome.variables }, tasks);
  if (outcome.kind === "rejected") return rejected(task, outcome, tasks);
  return tasks.fail(task, outcome.incident);
}

function finish(
  task: ClaimedTask,
  { error, variables }: NonNullable<ClaimedTask["answered"]>,
  tasks: ServiceTasks,
) {
  if (error === null) return tasks.complete(task, variables);
  return tasks.throwError(task, { code: error, variables });
}

async function rejected(
  task: ClaimedTask,
  { status, body }: { readonly status: number; readonly body: string },
  tasks: ServiceTasks,
): Promise<void> {
  const variables = {
    error_status: { type: "Integer", value: status },
    error_body: { type: "String", value: body },
  } as const;
  if (task.run.config.redirectFailures && (await tasks.catchesError(task, rejectedCode)))
    return tasks.throwError(task, { code: rejectedCode, variables });
  await tasks.fail(task, {
    type: "rejected",
    message:
      `The integration rejected the request with HTTP ${status}${excerpt(body)}. ` +
      "A rerun sends the request again.",
    requestSent: "yes",
  });
}

/** The start of the answer, for a sentence. */
function excerpt(body: string): string {
  const words = body.replace(/[\s\p{Cc}]+/gu, " ").trim();
  if (words === "") return "";
  return words.length <= 300 ? `: "${words}"` : `: "${words.slice(0, 300).toWellFormed()}…"`;
}

function incidentOf(error: unknown, wasSent: boolean): NewIncident {
  if (error instanceof DeliveryFailure) {
    const { code: type, message, requestSent } = error;
    return { type, message, requestSent };
  }
  const [when, rerun] = wasSent
    ? ["after it sent the request", "A rerun sends the request again."]
    : ["repeatedly before it sent the request", "A rerun sends the request."];
  const message = `The server failed ${when}. See the server log for details. ${rerun}`;
  return { type: "internal_error", message, requestSent: wasSent ? "unknown" : "no" };
}

interface Persisted {
  readonly task: ClaimedTask;
  readonly outcome: AttemptOutcome;
  readonly tasks: ServiceTasks;
  readonly outcomes: Outcomes;
}

/** How long the first try may take before the outcome is also written to disk, and the pause between tries. */
const patienceMs = 1_000;

/**
 * Stores the outcome, which must survive an outage of the database. If storing takes too long, the outcome is written
 * to disk as well. Tries again until the process drains; what is left on disk is stored at the next start.
 */
async function persist(
  { task, outcome, tasks, outcomes }: Persisted,
  { log, draining }: Pick<Infrastructure, "log" | "draining">,
): Promise<void> {
  const { serviceTaskId, attempt } = task.run;
  const keep = Promise.withResolvers<void>();
  const timer = setTimeout(() => keep.resolve(), patienceMs);
  let isOver = false;
  const kept = keep.promise.then(() => !isOver && outcomes.keep({ serviceTaskId, attempt, outcome }));
  try {
    for (;;) {
      const error = await apply(task, outcome, tasks).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (error === undefined) break;
      if (isFinal(error)) throw error;
      log.warn(
        { err: error, service_task_id: serviceTaskId },
        "Service task outcome not stored yet; trying again",
      );
      keep.resolve();
      const isOnDisk = await kept;
      if (hasEnded(error) || (draining() && isOnDisk)) return;
      await Bun.sleep(patienceMs);
    }
  } catch (error) {
    if (!(error instanceof LostClaim)) throw error;
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
  keep.resolve();
  if (await kept) await outcomes.remove({ serviceTaskId, attempt });
}

/** Stores an outcome from disk. Logs one that can never be stored, so that its file can be removed. */
export async function storeLate(kept: KeptOutcome, tasks: ServiceTasks, log: Logger): Promise<void> {
  const { serviceTaskId: service_task_id, attempt, outcome } = kept;
  try {
    const task = await tasks.recall(kept);
    if (task) await apply(task, outcome, tasks);
    log.info({ service_task_id, attempt, kind: outcome.kind }, "Service task outcome stored from disk");
  } catch (err) {
    if (!isFinal(err)) throw err;
    log.error({ err, service_task_id, attempt }, "Service task outcome on disk cannot be stored; discarded");
  }
}

const isFinal = (error: unknown) =>
  error instanceof LostClaim || (error instanceof Problem && error.status < 500);

/** The process is ending: its connections are closed. */
const hasEnded = (error: unknown) => (error as { code?: unknown } | null)?.code === "CONNECTION_ENDED";
