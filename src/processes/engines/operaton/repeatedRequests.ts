/**
 * Starts and completions with an `Idempotency-Key`. The engine takes part in no transaction of ours, so the key is
 * taken before the engine is told, and the answer is kept afterwards. If a request is repeated and the answer is
 * missing, this finds out what the engine has done.
 */
import Type from "typebox";
import { Problem } from "../../../infrastructure/problem.ts";
import { claimKey, keepAnswer, keyInUse } from "../../../tenants/idempotency/keys.ts";
import { findPending, releaseKey } from "../../../tenants/idempotency/pending.ts";
import type { Instance, NewInstance, TaskCompletion } from "../../engine.ts";
import { shapeOf, textOrNull } from "./answerShape.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { wasNotDone } from "./restErrors.ts";
import { instanceOf, start } from "./start.ts";
import { startOf } from "./starts.ts";
import { completeTask } from "./userTasks.ts";

/** Beyond the time limit of a call: until then, the first request may still be waiting for the engine. */
const graceSeconds = 5;

/** Starts an instance, or finds the one that the first request with the key has started. */
export async function startOnce(context: OperatonContext, begin: NewInstance): Promise<Instance> {
  const { once, tenant } = begin;
  const pending = once && (await findPending(context.sql, once.request));
  if (!pending) return start(context, begin);
  // The note is the id of the start, which is the instance's business key at the engine.
  const row = await startOf(context.sql, tenant.id, pending.note);
  const started = row && (await instanceOf(context, tenant, row));
  // The engine may still make the instance. If it does not, a job undoes the start after some minutes.
  if (row && !started) throw keyInUse(graceSeconds);
  if (started) {
    await keepAnswer(context.sql, once.request, once.answerOf(started));
    return started;
  }
  await releaseKey(context.sql, once.request, pending.note);
  return start(context, begin);
}

/** Completes a task, or finds that the first request with the key has completed it. */
export async function completeTaskOnce(context: OperatonContext, completion: TaskCompletion): Promise<void> {
  const { once } = completion;
  if (!once) return completeTask(context, completion);
  const { request } = once;
  if (await wasCompletedBefore(context, completion)) return keepAnswer(context.sql, request, once.answerOf());
  const note = crypto.randomUUID();
  try {
    await completeTask(context, { ...completion, before: (tx) => claimKey(tx, request, note) });
  } catch (error) {
    // After a lost answer the key stays taken: nobody knows what the engine has done.
    if (wasNotDone(error)) await releaseKey(context.sql, request, note);
    throw error;
  }
  await keepAnswer(context.sql, request, once.answerOf());
}

/** Throws `idempotency_key_in_use` as long as the first request may be under way. */
async function wasCompletedBefore(
  context: OperatonContext,
  { once, tenant, taskId, by }: TaskCompletion,
): Promise<boolean> {
  const pending = once && (await findPending(context.sql, once.request));
  if (!pending) return false;
  const left = (context.config.engine?.timeoutMs ?? 0) / 1_000 + graceSeconds - pending.ageSeconds;
  if (left > 0) throw keyInUse(Math.ceil(left));
  const query = { taskId, tenantIdIn: tenant.slug, finished: true };
  const found = await context.rest.call({ path: "/history/task", query }, finishedTasks);
  // A user completes a task that is assigned to them. Of an administrator's, the history does not say who it was.
  const isOurs = ({ assignee, deleteReason }: (typeof found)[number]) =>
    assignee === by.user && deleteReason === "completed";
  if (found.some(isOurs)) return true;
  if (found.length > 0) throw new Problem("task_completed", { message: "The task is no longer open." });
  await releaseKey(context.sql, once.request, pending.note);
  return false;
}

const finishedTasks = shapeOf(Type.Array(Type.Object({ assignee: textOrNull, deleteReason: textOrNull })));
