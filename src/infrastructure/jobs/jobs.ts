/**
 * Background work through pg-boss (schema `pgboss`): what recurs, and queues of jobs that are enqueued in the very
 * transaction that makes them necessary.
 *
 * Fetching, heartbeats, supervision and completion use the small control pool, so that a live process never looks dead
 * because its other connections are in use.
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
  /** What every process of the server does again and again, once an interval in all. */
  recur(job: Recurring): Promise<void>;
  queue<Data extends object>(name: string, options?: QueueOptions<Data>): Promise<Queue<Data>>;
  /** Stops taking new jobs and waits for running ones, `limitMs` at most, because calls to external systems can be slow. */
  drain(limitMs: number): Promise<void>;
  /** Ends everything; what is under way is given 5 seconds. */
  stop(): Promise<void>;
}

export type { Queue } from "./queue.ts";

const stopMs = 5_000;
const day = 86_400;
/** How often lost jobs are looked for: those whose process gives no sign of life. */
const superviseSeconds = 5;

/** Rejects where pg-boss cannot set up its schema; later failures are logged, and an outage mends itself. */
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
