/** Fetches tasks from the engine, as many as may run, and runs them. */
import { inLane } from "../../../../infrastructure/database/lanes.ts";
import { fetchLimits } from "../../../../infrastructure/jobs/fetchLimits.ts";
import { moment } from "../../../../infrastructure/jobs/heartbeat.ts";
import type { Tenant } from "../../../../tenants/tenant.ts";
import { serviceTasksAtOnce } from "../../../serviceTasks.ts";
import { idsShape } from "../answerShape.ts";
import type { EngineCall } from "../rest.ts";
import { EngineError, isJudgement } from "../restErrors.ts";
import { createAvailability } from "./availability.ts";
import type { Fetched } from "./claim.ts";
import { type ExternalTask, lockMs, type ServiceTaskContext, tasksShape, topics } from "./externalTask.ts";
import { createLock, type Lock, unlock } from "./lock.ts";
import { againMs } from "./tellEngine.ts";
import { listTenants } from "./tenants.ts";
import { createTurns } from "./turns.ts";

export interface TaskFetcher {
  /** Fetches no more tasks. Resolves once the running ones have ended. */
  drain(): Promise<void>;
}

/** Carries out a task. If it throws, the task is handed out again after a pause. */
export type RunTask = (fetched: Fetched) => Promise<void>;

interface Running {
  readonly lock: Lock;
  readonly group: string;
  readonly ended: Promise<void>;
}

/** How long the engine waits for a task, in milliseconds. It answers as soon as there is one. */
const longPollMs = 4_000;
/** How long this process waits before it asks again, if the engine cannot wait in its place. */
const shortPauseMs = 200;
/**
 * How long tasks gather at the engine after some were fetched, in milliseconds. One question costs the engine about as
 * much as a completion. A task that comes while nothing was fetched waits for nothing.
 */
const gatherMs = 20;
/** Tasks of one answer, so that it stays small. Halved if an answer is too large all the same. */
const mostTasks = 64;
/** Bytes of one answer with the tasks' variables, and without them: the properties of a task may have megabytes. */
const mostBytes = { withVariables: 8 * 1024 ** 2, without: 32 * 1024 ** 2 };
/** Characters of a task's variables that stay in memory while it runs. */
const smallVariables = 64 * 1024;
/** How long tasks are fetched without variables after an answer that was too large, in milliseconds. */
const leanMs = 60_000;
/** A lock that holds for less is extended while its task runs. */
const extendBelowMs = 40_000;
const extendEveryMs = 10_000;

export function fetchTasks(context: ServiceTaskContext, run: RunTask): TaskFetcher {
  const { rest, log, worker } = context;
  const availability = createAvailability(log);
  const running = new Map<string, Running>();
  let isEnding = false;
  let batch = mostTasks;
  let leanUntil = Number.NEGATIVE_INFINITY;
  let slotFree = Promise.withResolvers<void>();
  const turns = createTurns<Tenant>();

  async function loop(): Promise<void> {
    while (!isEnding) {
      const pauseMs = await fetchOnce().then(
        async (pause) => {
          await availability.worked();
          return pause;
        },
        (error) => availability.failed(error),
      );
      if (pauseMs > 0 && !isEnding) await Promise.race([Bun.sleep(pauseMs), slotFree.promise]);
    }
  }

  /** Returns how long to wait before the next fetch, in milliseconds. */
  async function fetchOnce(): Promise<number> {
    const groups = [...running.values()].map(({ group }) => group);
    const limits = fetchLimits(groups, serviceTasksAtOnce);
    slotFree = Promise.withResolvers<void>();
    if (limits.batchSize <= 0) return shortPauseMs;
    const tenants = await listTenants(context);
    const served = [...tenants.values()].filter(({ id }) => !limits.ignoreGroups.includes(String(id)));
    if (served.length === 0) return 1_000;
    const { tenants: asked, waitDivisor } = turns.next(served);
    // A tenant that has its share may be served again before the engine would answer.
    const waits = limits.ignoreGroups.length === 0;
    const waitMs = waits && waitDivisor > 0 ? Math.ceil(longPollMs / waitDivisor) : 0;
    const fetchedAt = moment();
    const maxTasks = Math.min(batch, limits.batchSize);
    const tasks = await ask({ tenantIdIn: asked.map(({ slug }) => slug), maxTasks, waitMs });
    turns.asked(tasks.length === 0 ? "none" : tasks.length < maxTasks ? "some" : "full");
    for (const task of tasks) {
      const tenant = tenants.get(task.tenantId ?? "");
      const lock = createLock(rest, { id: task.id, worker }, fetchedAt);
      if (isEnding || !tenant) void unlock(rest, task.id).catch(() => {});
      else start(task, { tenant, lock });
    }
    const isAll = tasks.length > 0 && tasks.length < maxTasks;
    if (isAll && !isEnding) await Bun.sleep(gatherMs);
    return tasks.length > 0 || waits ? 0 : shortPauseMs;
  }

  async function ask(asked: Asked): Promise<readonly ExternalTask[]> {
    try {
      const isLean = performance.now() < leanUntil;
      const tasks = await rest.call(fetchCall(context, { ...asked, isLean }), tasksShape);
      batch = Math.min(mostTasks, batch * 2);
      return isLean
        ? tasks.map((task) => ({ ...task, variables: undefined }))
        : tasks.map(withSmallVariables);
    } catch (error) {
      // The engine has locked tasks whose ids did not arrive.
      if (error instanceof EngineError && error.type === "AnswerTooLarge") {
        if (performance.now() < leanUntil) batch = Math.ceil(batch / 4);
        leanUntil = performance.now() + leanMs;
        await unlockUnknown();
        return [];
      }
      if (!isJudgement(error)) availability.whenBack(unlockUnknown);
      throw error;
    }
  }

  /**
   * Gives back what the engine has locked for this process in an answer that got lost. Not while tasks are fetched: it
   * would give back those that the engine has locked and not yet named.
   */
  async function unlockUnknown(): Promise<void> {
    const query = { workerId: worker, locked: true, withRetriesLeft: true, maxResults: 1_000 };
    const locked = await rest.call({ path: "/external-task", query }, idsShape);
    for (const { id } of locked) if (!running.has(id)) await unlock(rest, id);
  }

  function start(task: ExternalTask, { tenant, lock }: { tenant: Tenant; lock: Lock }): void {
    // An engine that was away let the lock expire. The task still runs here.
    if (running.has(task.id)) return;
    const instance = { tenant, processInstanceId: task.processInstanceId };
    const ended = inLane({ kind: "job", tenant: tenant.id }, () => run({ task, instance, lock }))
      .catch(async (err) => {
        log.warn({ service_task_id: task.id, err }, "Service task could not begin and will be tried again");
        await lock.setRemaining(againMs).catch(() => {});
      })
      .finally(() => {
        running.delete(task.id);
        slotFree.resolve();
      });
    running.set(task.id, { lock, group: String(tenant.id), ended });
  }

  async function extendLocks(): Promise<void> {
    const short = [...running.values()].filter(({ lock }) => lock.remainingMs() < extendBelowMs);
    await Promise.allSettled(short.map(({ lock }) => lock.setRemaining(lockMs)));
  }

  const timer = setInterval(() => void extendLocks(), extendEveryMs);
  const looping = loop();
  return {
    drain: async () => {
      isEnding = true;
      slotFree.resolve();
      await looping;
      await Promise.allSettled([...running.values()].map(({ ended }) => ended));
      clearInterval(timer);
    },
  };
}

interface Asked {
  readonly tenantIdIn: readonly string[];
  readonly maxTasks: number;
  /** How long the engine waits for a task, in milliseconds. */
  readonly waitMs: number;
}

function fetchCall(
  { worker, config }: ServiceTaskContext,
  { tenantIdIn, maxTasks, waitMs, isLean }: Asked & { readonly isLean: boolean },
): EngineCall {
  const topic = {
    lockDuration: lockMs,
    tenantIdIn,
    includeExtensionProperties: true,
    deserializeValues: false,
    ...(isLean ? { variables: [] } : {}),
  };
  return {
    method: "POST",
    path: "/external-task/fetchAndLock",
    body: {
      workerId: worker,
      maxTasks,
      usePriority: true,
      ...(waitMs > 0 ? { asyncResponseTimeout: waitMs } : {}),
      topics: topics.map((topicName) => ({ ...topic, topicName })),
    },
    ...(config.engine ? { timeoutMs: config.engine.timeoutMs + longPollMs } : {}),
    maxBytes: isLean ? mostBytes.without : mostBytes.withVariables,
  };
}

/** A value may have megabytes, and so many tasks may wait for their answers. */
function withSmallVariables(task: ExternalTask): ExternalTask {
  const sizes = Object.entries(task.variables ?? {}).map(
    ([name, { value }]) => name.length + (typeof value === "string" ? value.length : 16),
  );
  const size = sizes.reduce((sum, each) => sum + each, 0);
  return size <= smallVariables ? task : { ...task, variables: undefined };
}
