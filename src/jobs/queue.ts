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
import type { OutageReport } from "./outageReport.ts";

export interface QueueOptions {
  /** How often the queue is looked at when nobody rings; 1,000. */
  readonly pollMs?: number;
  /** A process without a sign of life for so long has lost its jobs; 10 at least, and the default. */
  readonly lostAfterSeconds?: number;
}

/** A job's work. What it throws has it run again after two seconds. */
export type Worker<Data> = (data: Data) => Promise<void>;

export interface Queue<Data extends object> {
  /** Within the transaction, or at once. Ring when it is committed. */
  enqueue(on: Queryable, jobs: readonly Data[], startAfter?: Date): Promise<void>;
  /** Looks for jobs now. */
  ring(): void;
  /** Begins to fetch, for so many places. */
  work(places: number, worker: Worker<Data>): void;
}

interface Within {
  readonly boss: PgBoss;
  readonly log: Logger;
  readonly report: OutageReport;
  readonly databaseOf: (on: Queryable) => never;
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
  }: Omit<Within, "databaseOf"> & {
    readonly databaseOf: (on: Queryable) => object;
  } & QueueOptions,
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
  const running = new Map<string, Promise<void>>();
  let places = 0;
  let worker: Worker<Data> = async () => {};
  let fetching = false;
  let rung = false;

  async function fetchJobs(): Promise<void> {
    if (fetching) {
      rung = true;
      return;
    }
    fetching = true;
    try {
      do {
        rung = false;
        const free = places - running.size;
        if (free <= 0) break;
        const jobs = await boss.fetch<Data>(name, { batchSize: free });
        for (const { id, data } of jobs) start(id, data);
        report.worked();
        if (jobs.length === free) rung = true;
      } while (rung);
    } catch (error) {
      report.failed(error);
    } finally {
      fetching = false;
    }
  }

  function start(id: string, data: Data): void {
    const work = run(id, data).finally(() => {
      const full = running.size >= places;
      running.delete(id);
      if (full) void fetchJobs();
    });
    running.set(id, work);
  }

  async function run(id: string, data: Data): Promise<void> {
    try {
      await worker(data);
      await complete(id);
    } catch (err) {
      log.warn({ queue: name, job: data, err }, "a job failed and will run again");
      // Where this fails as well, the job is lost and found again.
      await boss.fail(name, id).catch(report.failed);
    }
  }

  /** Those that end at about the same time are told to the database together. */
  let completing: { readonly ids: string[]; readonly told: Promise<unknown> } | undefined;
  function complete(id: string): Promise<unknown> {
    if (!completing) {
      const ids: string[] = [];
      const told = Bun.sleep(completeMs).then(() => {
        completing = undefined;
        return boss.complete(name, ids);
      });
      completing = { ids, told };
    }
    completing.ids.push(id);
    return completing.told;
  }

  const beat = () => {
    if (running.size > 0) void boss.touch(name, [...running.keys()]).catch(report.failed);
  };
  let poll: Timer | undefined;
  let pulse: Timer | undefined;
  return {
    enqueue: async (on, jobs, startAfter) => {
      const rows = jobs.map((data) => (startAfter ? { data, startAfter } : { data }));
      await boss.insert(name, rows, { db: databaseOf(on) as never });
    },
    ring: () => {
      if (places > 0) void fetchJobs();
    },
    work: (many, run) => {
      places = many;
      worker = run;
      poll = setInterval(fetchJobs, pollMs);
      pulse = setInterval(beat, (lostAfterSeconds * 1_000) / 4);
      void fetchJobs();
    },
    drain: async () => {
      places = 0;
      clearInterval(poll);
      await Promise.allSettled(running.values());
      clearInterval(pulse);
    },
  };
}
