/**
 * Background work with pg-boss (schema `pgboss`): recurring jobs, and queues. A job is added to a queue in the same
 * transaction that makes it necessary.
 *
 * Fetching, heartbeats, supervision and completion use the small control pool, so a running process does not look dead
 * when its other connections are in use.
 */
import { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { Queryable, Sql } from "../database/connect.ts";
import { withTimeout } from "../withTimeout.ts";
import { bossDatabase } from "./database.ts";
import { outageReport } from "./outageReport.ts";
import { createQueue, type Queue, type QueueOptions } from "./queue.ts";
import { type Recurring, recur } from "./recurring.ts";

export interface Jobs {
  /** Runs a recurring job once in each interval, in one of the processes. */
  recur(job: Recurring): Promise<void>;
  queue<Data extends object>(name: string, options?: QueueOptions<Data>): Promise<Queue<Data>>;
  /** Adds work of another source that drains and stops with the jobs. `drain` takes no more and waits for the rest. */
  onDrain(drain: () => Promise<void>): void;
  /**
   * Stops taking new jobs and waits for running ones, `limitMs` at most, because calls to external systems can be
   * slow.
   */
  drain(limitMs: number): Promise<void>;
  /** Ends everything. Running jobs get 5 seconds. */
  stop(): Promise<void>;
}

export type { Queue } from "./queue.ts";

const stopMs = 5_000;
const day = 86_400;
/** How often pg-boss looks for lost jobs, whose process sends no heartbeats. */
const superviseSeconds = 5;

/** Throws if pg-boss cannot create its schema. Later failures are logged, and work goes on after an outage. */
export async function startJobs(
  sql: Sql,
  { log, control = sql }: { readonly log: Logger; readonly control?: Sql },
): Promise<Jobs> {
  const report = outageReport(log);
  const boss = new PgBoss({
    db: bossDatabase(control),
    schedule: false,
    flowIntervalSeconds: day,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  boss.on("error", report.failed);
  boss.on("warning", (warning) => log.debug({ warning }, "pg-boss"));
  await boss.start();
  const stops: (() => Promise<void>)[] = [];
  const drains: (() => Promise<void>)[] = [];
  const context = { boss, log, report, databaseOf: (on: Queryable) => bossDatabase(sql, on) };
  return {
    recur: async (job) => void stops.push(await recur(job, context)),
    queue: async (name, options) => {
      const { drain, ...queue } = await createQueue(name, context, options);
      drains.push(drain);
      return queue;
    },
    onDrain: (drain) => void drains.push(drain),
    drain: (ms) => withTimeout(endAll(drains), { ms, onTimeout: () => {} }),
    stop: async () => {
      // Ended here, since pg-boss itself looks only every 500 ms whether its workers have ended.
      await withTimeout(endAll([...stops, ...drains]), { ms: stopMs, onTimeout: () => {} });
      await boss.stop({ timeout: stopMs }).catch(report.failed);
    },
  };
}

async function endAll(ends: readonly (() => Promise<void>)[]): Promise<void> {
  await Promise.all(ends.map((end) => end()));
}
