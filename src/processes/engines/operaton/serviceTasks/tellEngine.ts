/**
 * Tells the engine what has come of a task. The outcome is in the row before, so nothing here can lose it: if the
 * engine cannot be told now, the lock expires, and whoever gets the task then tells the engine again.
 */
import type { Answered } from "../../../serviceTasks.ts";
import { engineValues } from "../engineVariables.ts";
import { at } from "../rest.ts";
import { EngineError, EngineUnreachable, isJudgement } from "../restErrors.ts";
import type { ServiceTaskContext } from "./externalTask.ts";
import { countRefusal, markReported, storeIncident, type TaskRow } from "./taskQueries.ts";

/** A task at the engine, under the worker's id that has locked it. */
export type TaskAtEngine = Pick<TaskRow, "id" | "tenantId" | "attempt" | "worker">;

/** How often a completion is repeated that another transaction of the engine hindered. */
const mostConflicts = 12;
/** Pauses before the outcome is told again, in milliseconds. */
const pausesWhenRefused = [300, 1_000, 2_000];
const pausesWhenAway = [1_000, 2_000, 4_000, 8_000];
/** How often the engine's database may refuse an outcome, each time after all pauses, before a person has to look. */
const mostRefusals = 3;
/** How soon a task that was given back is handed out again. */
export const againMs = 2_000;

/** Lets the process go on with the answer. If it cannot, the task becomes an incident, which keeps the answer. */
export async function tellAnswer(
  context: ServiceTaskContext,
  task: TaskAtEngine,
  answered: Answered,
): Promise<void> {
  const told = await tell(() => sendAnswer(context, task, answered));
  if (told.result === "told" || told.result === "gone") return context.batches.close(task);
  const isHopeless =
    told.result === "refused" ||
    (told.result === "failing" && (await countRefusal(context.sql, task)) >= mostRefusals);
  if (!isHopeless) return giveBack(context, task, told);
  const message =
    `The integration answered, but the process could not continue: ${told.error?.message} ` +
    "A rerun continues with the answer and sends nothing.";
  const incident = { type: "process_failed", message, requestSent: "yes" } as const;
  if (await storeIncident(context.sql, task, incident)) await tellIncident(context, task, message);
}

function sendAnswer({ rest }: ServiceTaskContext, task: TaskAtEngine, { error, variables }: Answered) {
  const { id, worker: workerId } = task;
  const values = engineValues(variables);
  if (error === null)
    return rest.call({
      method: "POST",
      path: at`/external-task/${id}/complete`,
      body: { workerId, variables: values },
    });
  return rest.call({
    method: "POST",
    path: at`/external-task/${id}/bpmnError`,
    body: {
      workerId,
      errorCode: error,
      errorMessage: "The integration rejected the request.",
      variables: values,
    },
  });
}

/** Characters of an incident's message at the engine. The details have no limit. */
const longestMessage = 666;

/** Makes an incident of the engine: a task without retries. The row has the incident already. */
export async function tellIncident(
  context: ServiceTaskContext,
  task: TaskAtEngine,
  message: string,
): Promise<void> {
  const { id, worker: workerId } = task;
  const told = await tell(() =>
    context.rest.call({
      method: "POST",
      path: at`/external-task/${id}/failure`,
      body: {
        workerId,
        errorMessage: message.slice(0, longestMessage).toWellFormed(),
        errorDetails: message,
        retries: 0,
        retryTimeout: 0,
      },
    }),
  );
  if (told.result === "told") return markReported(context.sql, task);
  if (told.result === "gone") return context.batches.close(task);
  if (told.result === "refused")
    context.log.error({ service_task_id: id, err: told.error }, "The engine refused an incident");
  await giveBack(context, task, told);
}

/** Shortens the lock, so that the task is handed out again soon. An expired lock needs nothing. */
async function giveBack({ rest }: ServiceTaskContext, { id, worker }: TaskAtEngine, { result }: Told) {
  if (result === "away") return;
  const body = { workerId: worker, newDuration: againMs };
  await rest.call({ method: "POST", path: at`/external-task/${id}/extendLock`, body }).catch(() => {});
}

/**
 * - gone: the engine has no such task. It was told before, or the instance ended.
 * - lost: another worker has the task and will tell the engine.
 * - conflict: another transaction changed the instance, each time.
 * - away: there is no engine at the moment. failing: there is one, without its database.
 * - refused: the engine cannot do this.
 */
type Result = "told" | "gone" | "lost" | "conflict" | "away" | "failing" | "refused";

interface Told {
  readonly result: Result;
  readonly error?: Error;
}

/** Calls the engine, and repeats the call where this may help. */
async function tell(call: () => Promise<unknown>): Promise<Told> {
  const repeated = new Map<Result, number>();
  for (;;) {
    const told = await call().then((): Told => ({ result: "told" }), resultOf);
    const count = repeated.get(told.result) ?? 0;
    repeated.set(told.result, count + 1);
    const pause = pauseAfter(told.result, count);
    if (pause === undefined) return told;
    await Bun.sleep(pause);
  }
}

/** How long to wait before the call is repeated. Undefined: it is not. */
function pauseAfter(result: Result, count: number): number | undefined {
  if (result === "refused") return pausesWhenRefused[count];
  if (result === "away" || result === "failing") return pausesWhenAway[count];
  // Another one than the hindering transaction takes, so that several do not meet again and again.
  return result === "conflict" && count < mostConflicts ? Math.random() * 20 * (count + 1) : undefined;
}

function resultOf(error: Error): Told {
  if (!isJudgement(error)) {
    if (error instanceof EngineError || error instanceof EngineUnreachable) return { result: "away", error };
    throw error;
  }
  const { status, type, message } = error;
  if (status === 404) return { result: "gone", error };
  if (error.isOptimisticLocking) return { result: "conflict", error };
  if (status === 400 && /by worker '/.test(message)) return { result: "lost", error };
  const isOfDatabase = /Persistence|Transaction|Jdbc|SQL|DataAccess|Connection/i.test(type);
  return { result: status >= 500 && isOfDatabase ? "failing" : "refused", error };
}
