/** Implements `ServiceTasks` (../../../serviceTasks.ts) with the table `external_tasks` and the engine. */
import { type Answered, LostClaim, type ServiceTasks } from "../../../serviceTasks.ts";
import { withServerFacts } from "./answeredFiles.ts";
import { type Claimed, recall } from "./claim.ts";
import { isErrorCaught } from "./errorCatching.ts";
import type { ServiceTaskContext } from "./externalTask.ts";
import { raise } from "./incidents.ts";
import { unlock } from "./lock.ts";
import { unmarkTask } from "./taskQueries.ts";
import { tellAnswer } from "./tellEngine.ts";

export function serviceTasksOf(context: ServiceTaskContext, isEnding: () => boolean): ServiceTasks {
  return {
    recall: (attempt) => recall(context, attempt),
    takeBack: ({ row }: Claimed) => unmarkTask(context.sql, row, heldBack),
    markSent: (task: Claimed) => markSent(context, task, isEnding()),
    complete: (task: Claimed, variables) => goOn(context, task, { error: null, variables }),
    catchesError: ({ row, slug }: Claimed, code) => isErrorCaught(context, { ...row, slug }, code),
    throwError: (task: Claimed, { code, variables }) => goOn(context, task, { error: code, variables }),
    fail: ({ row }: Claimed, incident) => raise(context, row, incident),
  } as ServiceTasks;
}

/** The message of an incident that replaces "interrupted". */
const heldBack =
  "The server was paused before it sent the request, and another one took over its tasks. Nothing was sent. " +
  "A rerun sends the request.";

/** A lock holds for so long after the request's time limit, in milliseconds, so that its outcome can be told. */
const spareMs = 20_000;

async function markSent(context: ServiceTaskContext, task: Claimed, isEnding: boolean): Promise<void> {
  const { row, lock, run } = task;
  if (!lock) throw new LostClaim();
  if (isEnding) {
    // Another process does not have to wait for the lock.
    await unlock(context.rest, row.id).catch(() => {});
    throw new LostClaim();
  }
  const neededMs = run.config.timeoutSeconds * 1_000 + spareMs;
  if (lock.remainingMs() < neededMs) await lock.setRemaining(neededMs);
  if (!(await context.batches.markSent(row))) throw new LostClaim();
}

/** Stores the answer, and then lets the process go on with it. */
async function goOn(context: ServiceTaskContext, { row, answered }: Claimed, given: Answered): Promise<void> {
  if (answered) return tellAnswer(context, row, answered);
  const variables = await withServerFacts(context, row.tenantId, given.variables);
  const answer = { ...given, variables };
  const worker = await context.batches.storeAnswer({ ...row, outcome: JSON.stringify(answer) });
  if (worker !== undefined) return tellAnswer(context, { ...row, worker }, answer);
  context.log.warn({ service_task_id: row.id }, "Answer ignored: the service task is no longer open");
}
