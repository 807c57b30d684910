/** Fetches a queue's jobs for one process, as many as may run, and runs them. */
import type { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import { inLane } from "../database/lanes.ts";
import { type FetchLimits, fetchLimits } from "./fetchLimits.ts";
import { type Heartbeat, heartbeatSince, type Moment, moment } from "./heartbeat.ts";
import type { OutageReport } from "./outageReport.ts";

/** One run of a job. */
export interface Run {
  /** How often the job was begun before. */
  readonly retries: number;
  /**
   * Milliseconds since the last heartbeat that the database confirmed. Another process takes the job once this is more
   * than `lostAfterSeconds`.
   */
  heartbeatAgeMs(): number;
}

/** A job's work. If it throws, the job runs again after two seconds. */
export type Worker<Data> = (data: Data, run: Run) => Promise<void>;

/** How often a job may fail before somebody has to know. So many retries take a minute at least. */
export const retriesInSilence = 30;

export interface RunnerContext {
  readonly boss: PgBoss;
  readonly log: Logger;
  readonly report: OutageReport;
}

export interface RunnerOptions<Data> {
  /** How often the process looks for jobs when nobody calls `notify`, in milliseconds. */
  readonly pollMs: number;
  /** A process that has sent no heartbeat for so long has lost its jobs. At least 10. */
  readonly lostAfterSeconds: number;
  /** At most a quarter of the jobs that run are of one group. Without it there are no groups. */
  readonly groupOf?: (data: Data) => string;
  /** The tenant whose share of the database's connections a job uses. */
  readonly tenantOf?: (data: Data) => number;
}

export interface Runner<Data> {
  /** Looks for jobs now. */
  notify(): void;
  /** Begins to fetch jobs, and runs at most `maxRunning` of them at a time. */
  work(maxRunning: number, worker: Worker<Data>): void;
  /** Fetches no more jobs. Resolves once the running ones have ended. */
  drain(): Promise<void>;
}

/** One of the times that a job was fetched. pg-boss tells them apart by the count of retries. */
interface Attempt {
  readonly id: string;
  readonly retryCount: number;
}

interface Running extends Attempt {
  readonly heartbeat: Heartbeat;
  readonly group: string | undefined;
  readonly ended: Promise<void>;
}

export function createRunner<Data extends object>(
  name: string,
  context: RunnerContext,
  { pollMs, lostAfterSeconds, groupOf, tenantOf }: RunnerOptions<Data>,
): Runner<Data> {
  const { boss, log, report } = context;
  const running = new Set<Running>();
  const complete = completeTogether(boss, name);
  let maxRunning = 0;
  let worker: Worker<Data> = async () => {};
  let timers: Timer[] = [];
  let fetching = Promise.resolve();
  let isFetching = false;
  let fetchAgain = false;

  function notify(): void {
    if (maxRunning === 0) return;
    if (isFetching) fetchAgain = true;
    else fetching = fetchJobs();
  }

  async function fetchJobs(): Promise<void> {
    isFetching = true;
    try {
      do {
        fetchAgain = false;
        const limits = limitsNow();
        if (limits.batchSize <= 0) break;
        const fetchedAt = moment();
        const jobs = await boss.fetch<Data>(name, limits);
        for (const { id, retryCount, data } of jobs) start({ id, retryCount }, { data, fetchedAt });
        report.worked();
        if (jobs.length === limits.batchSize) fetchAgain = true;
        else if (jobs.length > 0) await Bun.sleep(gatherMs);
      } while (fetchAgain);
    } catch (error) {
      report.failed(error);
    } finally {
      isFetching = false;
    }
  }

  function limitsNow(): FetchLimits {
    const groups = [...running].map(({ group }) => group);
    const limits = groupOf
      ? fetchLimits(groups, maxRunning)
      : { batchSize: maxRunning - running.size, ignoreGroups: [] };
    return { ...limits, batchSize: powerOfTwo(limits.batchSize) };
  }

  function start(attempt: Attempt, { data, fetchedAt }: { data: Data; fetchedAt: Moment }): void {
    const heartbeat = heartbeatSince(fetchedAt);
    const ended = run(attempt, { data, heartbeat }).finally(() => {
      const { batchSize, ignoreGroups } = limitsNow();
      running.delete(job);
      // Jobs may be waiting for this one to end.
      if (batchSize <= 0 || ignoreGroups.length > 0) notify();
    });
    const job: Running = { ...attempt, heartbeat, group: groupOf?.(data), ended };
    running.add(job);
  }

  async function run(attempt: Attempt, { data, heartbeat }: { data: Data; heartbeat: Heartbeat }) {
    const lane = tenantOf && ({ kind: "job", tenant: tenantOf(data) } as const);
    const work = () => worker(data, { retries: attempt.retryCount, heartbeatAgeMs: heartbeat.ageMs });
    try {
      // Also without a tenant: the job may have been fetched in a request's lane.
      await inLane(lane, work);
      await complete(attempt);
    } catch (err) {
      log.warn({ queue: name, job: data, err }, "Job failed and will run again");
      // If this fails too, the job gets no more heartbeats and runs again for that reason.
      await boss.fail(name, attempt).catch(report.failed);
    }
  }

  return {
    notify,
    work: (many, run) => {
      maxRunning = many;
      worker = run;
      const beat = () => sendHeartbeats(name, running, context);
      timers = [setInterval(notify, pollMs), setInterval(() => void beat(), (lostAfterSeconds * 1_000) / 4)];
      notify();
    },
    drain: async () => {
      maxRunning = 0;
      // Jobs that are being fetched now already belong to this process.
      await fetching;
      await Promise.allSettled([...running].map(({ ended }) => ended));
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/**
 * How long the next jobs gather after some were fetched. A fetch costs the database about as much as a job's own
 * statements, so under load it should get several.
 */
const gatherMs = 20;

/**
 * The largest one that is not more, or 0. The size is a part of pg-boss's statement, and a few sizes are a few
 * statements to prepare.
 */
const powerOfTwo = (most: number) => (most < 1 ? 0 : 2 ** Math.floor(Math.log2(most)));

/** How long a completed job waits for others, to be completed in one statement with them. */
const completeMs = 20;

function completeTogether(boss: PgBoss, name: string): (attempt: Attempt) => Promise<unknown> {
  let batch: { readonly attempts: Attempt[]; readonly completed: Promise<unknown> } | undefined;
  return (attempt) => {
    if (!batch) {
      const attempts: Attempt[] = [];
      const completed = Bun.sleep(completeMs).then(() => {
        batch = undefined;
        return boss.complete(name, attempts);
      });
      batch = { attempts, completed };
    }
    batch.attempts.push(attempt);
    return batch.completed;
  };
}

/**
 * Includes the attempt number, so that a heartbeat for an attempt that another process has taken over is ignored.
 * Confirms only the jobs that the database has updated.
 */
async function sendHeartbeats(
  name: string,
  running: ReadonlySet<Running>,
  { boss, report }: RunnerContext,
): Promise<void> {
  if (running.size === 0) return;
  // If two attempts of one job run in this process, the later one counts. It was added later.
  const latest = new Map([...running].map((job) => [job.id, job]));
  const attempts = [...latest.values()].map(({ id, retryCount }) => ({ id, retryCount }));
  const sentAt = moment();
  try {
    // pg-boss also returns the ids of the updated rows, though its type does not say so.
    const { settled = [] }: { settled?: string[] } = await boss.touch(name, attempts);
    for (const id of settled) latest.get(id)?.heartbeat.confirm(sentAt);
  } catch (error) {
    report.failed(error);
  }
}
