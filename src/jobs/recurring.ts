/**
 * Work that recurs, through pg-boss (schema `pgboss`): at most once an interval, whatever the number of processes.
 *
 * Every process offers the job again and again; the database takes one offer for each interval and refuses the rest,
 * and no more than one job waits. So there is no chain that a killed process could break, and nothing to elect. A job
 * whose process is killed is not run again: the next one does what it left.
 */

import { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { Sql } from "../database/connect.ts";
import { bossDatabase } from "./database.ts";

export interface Recurring {
  /** The queue's name. */
  readonly name: string;
  /** From 1 second to a day; fractions are rounded. */
  readonly everySeconds: number;
  /** What one of the processes does, for all. What it throws is logged. */
  readonly run: () => Promise<void>;
  /** What every process does for itself, about twice an interval. */
  readonly runHere: () => Promise<void>;
}

export interface Jobs {
  /** Begins nothing more, and gives what is under way 5 seconds. */
  stop(): Promise<void>;
}

const stopMs = 5_000;
/** How soon a job that its offerer could not begin is taken by another process. */
const longestPollSeconds = 30;
const day = 86_400;

/** Rejects where pg-boss cannot set up its schema; later failures are logged, and an outage mends itself. */
export async function startRecurring(sql: Sql, { log, job }: { log: Logger; job: Recurring }): Promise<Jobs> {
  const report = outageReport(log);
  const boss = new PgBoss({ db: bossDatabase(sql), schedule: false, flowIntervalSeconds: day });
  boss.on("error", report.failed);
  boss.on("warning", (warning) => log.debug({ warning }, "pg-boss"));
  await boss.start();
  const { name } = job;
  const seconds = Math.max(1, Math.round(job.everySeconds));
  // `short`: at most one waits.
  await boss.createQueue(name, { policy: "short" });
  const run = () => job.run().catch((err) => log.warn({ job: name, err }, "a job failed; the next goes on"));
  const pollingIntervalSeconds = Math.min(seconds, longestPollSeconds);
  const worker = await boss.work(name, { pollingIntervalSeconds }, run);

  async function offer(): Promise<void> {
    try {
      // The row is what keeps its interval taken, so it stays for longer than that.
      const kept = { retryLimit: 0, retentionSeconds: 2 * seconds, deleteAfterSeconds: 2 * seconds + 60 };
      const taken = await boss.send(name, null, { singletonSeconds: seconds, ...kept });
      if (taken !== null) boss.notifyWorker(worker);
      report.worked();
    } catch (error) {
      report.failed(error);
    }
  }

  const tick = () => {
    void offer();
    void job.runHere().catch((err) => log.warn({ job: name, err }, "local housekeeping failed"));
  };
  tick();
  // Twice an interval: an offer that comes a moment before its interval begins must not cost the whole of it.
  const timer = setInterval(tick, Math.min(seconds * 500, 60_000));
  return {
    stop: async () => {
      clearInterval(timer);
      await boss.stop({ timeout: stopMs }).catch(report.failed);
    },
  };
}

/** One line when an outage begins and one when it is over: pg-boss fails again with every poll. */
function outageReport(log: Logger) {
  let failing = false;
  return {
    failed: (err: unknown) => {
      log[failing ? "debug" : "warn"]({ err }, "background jobs are held up");
      failing = true;
    },
    worked: () => {
      if (failing) log.info("background jobs run again");
      failing = false;
    },
  };
}
