/**
 * Carries service tasks out: takes one, has it delivered, and tells the engine what came of it. Knows no engine but by
 * its port. Whatever happens, a task ends completed, caught by its boundary event, or as an incident.
 */
import type { Logger } from "pino";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { type Run, retriesInSilence } from "../infrastructure/jobs/runner.ts";
import { CallHeldBack, DeliveryFailure } from "../infrastructure/outbound/failure.ts";
import { Problem } from "../infrastructure/problem.ts";
import { deliver } from "./delivery/deliver.ts";
import type { AttemptOutcome, KeptOutcome, Outcomes } from "./serviceTaskOutcomes.ts";
import {
  type ClaimedTask,
  LostClaim,
  type NewIncident,
  rejectedCode,
  type ServiceTaskJob,
  type ServiceTasks,
} from "./serviceTasks.ts";

/**
 * A request goes out while the last heartbeat and the mark are younger than this: half of the ten seconds of silence
 * after which another process takes over. A process that was paused in between sends nothing when it goes on.
 */
const freshMs = 5_000;

export interface CarryOutOptions {
  readonly run: Run;
  readonly outcomes: Outcomes;
}

export async function carryOut(
  job: ServiceTaskJob,
  tasks: ServiceTasks,
  { run, outcomes, ...infrastructure }: Infrastructure & CarryOutOptions,
): Promise<void> {
  const task = await tasks.claim(job, run.retries);
  if (!task) return;
  if (task.answered) return goOn(task, task.answered, tasks);
  const outcome = await attemptOutcome(task, tasks, { ...infrastructure, run });
  if (outcome) await persist({ task, outcome, tasks, outcomes }, infrastructure);
}

/** What came of the attempt; undefined where it is somebody else's by now. Throws where the job is to run again. */
async function attemptOutcome(
  task: ClaimedTask,
  tasks: ServiceTasks,
  { run, ...infrastructure }: Infrastructure & { readonly run: Run },
): Promise<AttemptOutcome | undefined> {
  let markedAt = Number.NEGATIVE_INFINITY;
  let requestSent = false;
  const sending = async () => {
    markedAt = performance.now();
    await tasks.markSent(task);
    requestSent = true;
  };
  const mayGoOut = () => run.heartbeatAgeMs() < freshMs && performance.now() - markedAt < freshMs;
  try {
    return await deliver(task.run, { sending, mayGoOut }, infrastructure);
  } catch (error) {
    if (error instanceof LostClaim) return undefined;
    // Its cause is for the log alone.
    const { serviceTaskId: service_task_id, attempt } = task.run;
    infrastructure.log.warn(
      { err: error, service_task_id, attempt },
      "a service task could not be carried out",
    );
    if (error instanceof CallHeldBack) {
      requestSent = false;
      await tasks.takeBack(task);
    }
    // Nothing was sent, and the job will run again: no reason yet to bother anyone.
    if (!(error instanceof DeliveryFailure) && !requestSent && run.retries < retriesInSilence) throw error;
    return { kind: "failed", incident: incidentOf(error, requestSent) };
  }
}

/** Tells the engine. Repeating it changes nothing. */
export function apply(task: ClaimedTask, outcome: AttemptOutcome, tasks: ServiceTasks): Promise<void> {
  if (outcome.kind === "completed") return goOn(task, { error: null, variables: outcome.variables }, tasks);
  if (outcome.kind === "rejected") return rejected(task, outcome, tasks);
  return tasks.fail(task, outcome.incident);
}

function goOn(
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
  if (task.run.config.redirectFailures && tasks.catchesError(task, rejectedCode))
    return tasks.throwError(task, { code: rejectedCode, variables });
  await tasks.fail(task, {
    type: "rejected",
    message: `The integration refused the request with HTTP ${status}${inItsWords(body)}. A rerun sends the request again.`,
    requestSent: "yes",
  });
}

/** As much of a refusal as fits into a sentence. */
function inItsWords(body: string): string {
  const words = body.replace(/[\s\p{Cc}]+/gu, " ").trim();
  if (words === "") return "";
  return words.length <= 300 ? `: "${words}"` : `: "${words.slice(0, 300).toWellFormed()}…"`;
}

function incidentOf(error: unknown, wasSent: boolean): NewIncident {
  if (error instanceof DeliveryFailure) {
    const { code: type, message, requestSent } = error;
    return { type, message, requestSent };
  }
  const when = wasSent ? "after the request was sent" : "again and again before the request was sent";
  const message = `Something went wrong on our side ${when}; the log knows more. A rerun sends it${wasSent ? " again" : ""}.`;
  return { type: "internal_error", message, requestSent: wasSent ? "unknown" : "no" };
}

interface Persisted {
  readonly task: ClaimedTask;
  readonly outcome: AttemptOutcome;
  readonly tasks: ServiceTasks;
  readonly outcomes: Outcomes;
}

/** How long the first try may take before the outcome is kept on disk, and the pause between tries. */
const patienceMs = 1_000;

/**
 * What came of a request must not be lost for a database that is away. What is not stored soon is kept on disk, and tried
 * again until the process drains; what is left then is stored at the next start.
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
        "the outcome of a service task cannot be stored yet",
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
  await kept;
  await outcomes.remove({ serviceTaskId, attempt });
}

/** Stores an outcome that was kept on disk. One that can never be stored counts as stored, and is logged. */
export async function storeLate(kept: KeptOutcome, tasks: ServiceTasks, log: Logger): Promise<void> {
  const { serviceTaskId: service_task_id, attempt, outcome } = kept;
  try {
    const task = await tasks.recall(kept);
    if (task) await apply(task, outcome, tasks);
    log.info({ service_task_id, attempt, kind: outcome.kind }, "a kept outcome of a service task was stored");
  } catch (err) {
    if (!isFinal(err)) throw err;
    log.error({ err, service_task_id, attempt }, "a kept outcome of a service task can never be stored");
  }
}

const isFinal = (error: unknown) =>
  error instanceof LostClaim || (error instanceof Problem && error.status < 500);

/** The process ends: its connections are closed for good. */
const hasEnded = (error: unknown) => (error as { code?: unknown } | null)?.code === "CONNECTION_ENDED";
