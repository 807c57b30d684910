/**
 * Background work through pg-boss (schema `pgboss`), on the server's own pool: what recurs, and queues of jobs that
 * are enqueued in the very transaction that makes them necessary.
 */
import { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { Queryable, Sql } from "../database/connect.ts";
import { bossDatabase } from "./database.ts";
import { outageReport } from "./outageReport.ts";
import { createQueue, type Queue, type QueueOptions, type Worker } from "./queue.ts";
import { type Recurring, recur } from "./recurring.ts";

export interface Jobs {
  /** What every process of the server does again and again, once an interval in all. */
  recur(job: Recurring): Promise<void>;
  queue<Data extends object>(name: string, options?: QueueOptions): Promise<Queue<Data>>;
  /** Begins nothing more, and gives what is under way 5 seconds. */
  stop(): Promise<void>;
}

const stopMs = 5_000;
const day = 86_400;
/** How often lost jobs are looked for: those whose process gives no sign of life. */
const superviseSeconds = 5;

/** Rejects where pg-boss cannot set up its schema; later failures are logged, and an outage mends itself. */
export async function startJobs(sql: Sql, { log }: { log: Logger }): Promise<Jobs> {
  const report = outageReport(log);
  const boss = new PgBoss({
    db: bossDatabase(sql),
    schedule: false,
    flowIntervalSeconds: day,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  boss.on("error", report.failed);
  boss.on("warning", (warning) => log.debug({ warning }, "pg-boss"));
  await boss.start();
  const stops: (() => Promise<void> | void)[] = [];
  const within = { boss, log, report, databaseOf: (on: Queryable) => bossDatabase(on as Sql) };
  return {
    recur: async (job) => void stops.push(await recur(job, within)),
    queue: async (name, options) => {
      const queue = await createQueue(name, { ...within, ...options });
      stops.push(queue.stop);
      return queue as never;
    },
    stop: async () => {
      await Promise.race([Promise.all(stops.map((stop) => stop())), Bun.sleep(stopMs)]);
      await boss.stop({ timeout: stopMs }).catch(report.failed);
    },
  };
}

export type { Queue, Worker };
