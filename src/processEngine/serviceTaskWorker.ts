/**
 * Carries service tasks out: takes one, has it delivered, and tells the engine what came of it. Knows no engine but by
 * its port. Whatever happens, a task ends completed, caught by its boundary event, or as an incident (design 9).
 */
import { deliver } from "../delivery/deliver.ts";
import type { Deps } from "../deps.ts";
import { retriesInSilence } from "../jobs/queue.ts";
import { DeliveryFailure } from "../outbound/failure.ts";
import { Problem } from "../problem.ts";
import {
  type ClaimedTask,
  LostClaim,
  type NewIncident,
  rejectedCode,
  type ServiceTaskJob,
  type ServiceTasks,
} from "./serviceTask.ts";

export async function carryOut(
  job: ServiceTaskJob,
  tasks: ServiceTasks,
  { retries, ...deps }: Deps & { readonly retries: number },
): Promise<void> {
  const task = await tasks.claim(job);
  if (!task) return;
  if (task.answered) return goOn(task, task.answered, tasks);
  let requestSent = false;
  const sending = async () => {
    await tasks.markSent(task);
    requestSent = true;
  };
  try {
    const outcome = await deliver(task.run, { sending }, deps);
    if (outcome.kind === "completed")
      return await persist(() => goOn(task, { error: null, variables: outcome.variables }, tasks), deps);
    await persist(() => rejected(task, outcome, tasks), deps);
  } catch (error) {
    if (error instanceof LostClaim) return;
    // Its cause is for the log alone.
    const { serviceTaskId: service_task_id, attempt } = task.run;
    deps.log.warn({ err: error, service_task_id, attempt }, "a service task could not be carried out");
    // Nothing was sent, and the job will run again: no reason yet to bother anyone.
    if (!(error instanceof DeliveryFailure) && !requestSent && retries < retriesInSilence) throw error;
    await persist(() => tasks.fail(task, incidentOf(error, requestSent)), deps);
  }
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

const tries = 60;

/** What the integration answered must not be lost for a database that is away for a moment. */
async function persist(work: () => Promise<void>, { log }: Deps): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      return await work();
    } catch (err) {
      if (left === 0 || err instanceof LostClaim || (err instanceof Problem && err.status < 500)) throw err;
      log.warn({ err }, "the outcome of a service task cannot be stored yet");
      await Bun.sleep(1_000);
    }
  }
}
