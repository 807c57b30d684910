/**
 * Work that recurs: at most once an interval, whatever the number of processes.
 *
 * Every process offers the job again and again; the database takes one offer for each interval and refuses the rest,
 * and no more than one job waits. So there is no chain that a killed process could break, and nothing to elect. A job
 * whose process is killed is not run again: the next one does what it left.
 */
import type { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { OutageReport } from "./outageReport.ts";

export interface Recurring {
  /** The queue's name. */
  readonly name: string;
  /** From 1 second to a day; fractions are rounded. */
  readonly everySeconds: number;
  /** What one of the processes does, for all. What it throws is logged. */
  readonly run: () => Promise<void>;
  /** What every process does for itself, about twice an interval. */
  readonly runHere?: () => Promise<void>;
}

/** How soon a job that its offerer could not begin is taken by another process. */
const longestPollSeconds = 30;

/** Answers what ends it. */
export async function recur(
  job: Recurring,
  { boss, log, report }: { boss: PgBoss; log: Logger; report: OutageReport },
): Promise<() => Promise<void>> {
  const { name, runHere = async () => {} } = job;
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
    void runHere().catch((err) => log.warn({ job: name, err }, "local housekeeping failed"));
  };
  tick();
  // Twice an interval: an offer that comes a moment before its interval begins must not cost the whole of it.
  const timer = setInterval(tick, Math.min(seconds * 500, 60_000));
  return async () => {
    clearInterval(timer);
    await boss.offWork(name);
  };
}
