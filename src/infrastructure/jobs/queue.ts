/**
 * A queue whose jobs run at least once, many at a time, in whichever process comes first.
 *
 * A job belongs to the process that fetched it for as long as that process gives signs of life; after that another one
 * gets it. pg-boss keeps all of this; its own worker waits for the slowest job of a batch before it fetches again, so
 * here jobs are fetched for as many places as are free.
 */
import type { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { Queryable } from "../database/connect.ts";
import { inLane } from "../database/lanes.ts";
import { type Heartbeat, heartbeatSince, type Moment, moment } from "./heartbeat.ts";
import type { OutageReport } from "./outageReport.ts";
import { type Room, roomBeside } from "./places.ts";

export interface QueueOptions<Data> {
  /** How often the queue is looked at when nobody rings; 1,000. */
  readonly pollMs?: number;
  /** A process without a sign of life for so long has lost its jobs; 10 at least, and the default. */
  readonly lostAfterSeconds?: number;
  /** Jobs with the same answer share a quarter of the places (places.ts); without it there are no groups. */
  readonly groupOf?: (data: Data) => string;
  /** Whose share of the database's connections a job uses: its tenant's. */
  readonly tenantOf?: (data: Data) => number;
}

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

/** So often a job may fail before somebody has to be told: for a minute at least. */
export const retriesInSilence = 30;

export interface Queue<Data extends object> {
  /** Within the transaction, or at once. Ring when it is committed. */
  enqueue(on: Queryable, jobs: readonly Data[], startAfter?: Date): Promise<void>;
  /** One job for a moment, under an id by which it can be removed. */
  schedule(on: Queryable, job: Scheduled<Data>): Promise<void>;
  /** Removes jobs that wait. One that runs already runs to its end. */
  remove(on: Queryable, ids: readonly string[]): Promise<void>;
  /** Looks for jobs now. */
  notify(): void;
  /** Begins to fetch, for so many places. */
  work(places: number, worker: Worker<Data>): void;
}

export interface Scheduled<Data> {
  /** A UUID. */
  readonly id: string;
  readonly data: Data;
  /** By the database's clock. */
  readonly at: Date;
}

interface Within {
  readonly boss: PgBoss;
  readonly log: Logger;
  readonly report: OutageReport;
  readonly databaseOf: (on: Queryable) => never;
}

/** Of the times that a job was fetched, one: pg-boss tells them apart by its count of retries. */
interface Attempt {
  readonly id: string;
  readonly retryCount: number;
}

interface Running extends Attempt {
  readonly heartbeat: Heartbeat;
  readonly group: string | undefined;
  readonly ended: Promise<void>;
}

const year = 365 * 86_400;
const completeMs = 20;

export async function createQueue<Data extends object>(
  name: string,
  {
    boss,
    log,
    report,
    databaseOf,
    pollMs = 1_000,
    lostAfterSeconds = 10,
    groupOf,
    tenantOf,
  }: Omit<Within, "databaseOf"> & {
    readonly databaseOf: (on: Queryable) => object;
  } & QueueOptions<Data>,
): Promise<Queue<Data> & { drain(): Promise<void> }> {
  await boss.createQueue(name, {
    retryLimit: 1_000_000,
    retryDelay: 2,
    heartbeatSeconds: lostAfterSeconds,
    // Its heart tells whether a job is lost; how long it takes does not.
    expireInSeconds: 86_399,
    retentionSeconds: year,
    deleteAfterSeconds: 3_600,
  });
  const running = new Set<Running>();
  let places = 0;
  let worker: Worker<Data> = async () => {};
  let fetching = Promise.resolve();
  let isFetching = false;
  let rung = false;

  function lookForJobs(): void {
    if (isFetching) rung = true;
    else fetching = fetchJobs();
  }

  async function fetchJobs(): Promise<void> {
    isFetching = true;
    try {
      do {
        rung = false;
        const { batchSize, ignoreGroups } = room();
        if (batchSize <= 0) break;
        const fetchedAt = moment();
        const jobs = await boss.fetch<Data>(name, { batchSize, ignoreGroups });
        for (const { id, retryCount, data } of jobs) start({ id, retryCount }, { data, fetchedAt });
        report.worked();
        if (jobs.length === batchSize) rung = true;
      } while (rung);
    } catch (error) {
      report.failed(error);
    } finally {
      isFetching = false;
    }
  }

  function room(): Room {
    if (!groupOf) return { batchSize: places - running.size, ignoreGroups: [] };
    const groups = [...running].map(({ group }) => group);
    return roomBeside(groups, places);
  }

  function start(attempt: Attempt, { data, fetchedAt }: { data: Data; fetchedAt: Moment }): void {
    const heartbeat = heartbeatSince(fetchedAt);
    const ended = run(attempt, { data, heartbeat }).finally(() => {
      const { batchSize, ignoreGroups } = room();
      running.delete(job);
      // Others may have waited for this place alone.
      if (batchSize <= 0 || ignoreGroups.length > 0) lookForJobs();
    });
    const job: Running = { ...attempt, heartbeat, group: groupOf?.(data), ended };
    running.add(job);
  }

  async function run(
    attempt: Attempt,
    { data, heartbeat }: { data: Data; heartbeat: Heartbeat },
  ): Promise<void> {
    const lane = tenantOf && ({ kind: "job", tenant: tenantOf(data) } as const);
    const work = () => worker(data, { retries: attempt.retryCount, heartbeatAgeMs: heartbeat.ageMs });
    try {
      // Also where there is no tenant: a job may be fetched in a request's context.
      await inLane(lane, work);
      await complete(attempt);
    } catch (err) {
      log.warn({ queue: name, job: data, err }, "a job failed and will run again");
      // Where this fails as well, the job is lost and found again.
      await boss.fail(name, attempt).catch(report.failed);
    }
  }

  /** Those that end at about the same time are told to the database together. */
  let completing: { readonly attempts: Attempt[]; readonly told: Promise<unknown> } | undefined;
  function complete(attempt: Attempt): Promise<unknown> {
    if (!completing) {
      const attempts: Attempt[] = [];
      const told = Bun.sleep(completeMs).then(() => {
        completing = undefined;
        return boss.complete(name, attempts);
      });
      completing = { attempts, told };
    }
    completing.attempts.push(attempt);
    return completing.told;
  }

  /**
   * Includes the attempt number, so that a heartbeat for an attempt that another process has taken over is ignored.
   * Only what the database touched is confirmed.
   */
  async function beat(): Promise<void> {
    if (running.size === 0) return;
    // Of two attempts of one job in this process the later one, which was added later, is the one that counts.
    const latest = new Map([...running].map((job) => [job.id, job]));
    const attempts = [...latest.values()].map(({ id, retryCount }) => ({ id, retryCount }));
    const at = moment();
    try {
      // In the answer, though not in its type: the ids of the rows that were updated.
      const { settled = [] }: { settled?: string[] } = await boss.touch(name, attempts);
      for (const id of settled) latest.get(id)?.heartbeat.confirm(at);
    } catch (error) {
      report.failed(error);
    }
  }

  let poll: Timer | undefined;
  let pulse: Timer | undefined;
  return {
    enqueue: async (on, jobs, startAfter) => {
      const rows = jobs.map((data) => ({
        data,
        ...(startAfter ? { startAfter } : {}),
        ...(groupOf ? { group: { id: groupOf(data) } } : {}),
      }));
      await boss.insert(name, rows, { db: databaseOf(on) as never });
    },
    schedule: async (on, { id, data, at }) => {
      const group = groupOf ? { group: { id: groupOf(data) } } : {};
      await boss.insert(name, [{ id, data, startAfter: at, ...group }], { db: databaseOf(on) as never });
    },
    remove: async (on, ids) => {
      if (ids.length > 0) await boss.deleteJob(name, [...ids], { db: databaseOf(on) as never });
    },
    notify: () => {
      if (places > 0) lookForJobs();
    },
    work: (many, run) => {
      places = many;
      worker = run;
      poll = setInterval(lookForJobs, pollMs);
      pulse = setInterval(() => void beat(), (lostAfterSeconds * 1_000) / 4);
      lookForJobs();
    },
    drain: async () => {
      places = 0;
      clearInterval(poll);
      // What is being fetched just now is this process's to do.
      await fetching;
      await Promise.allSettled([...running].map(({ ended }) => ended));
      clearInterval(pulse);
    },
  };
}
