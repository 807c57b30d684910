/**
 * Recurring work: at most once in each interval, for any number of processes.
 *
 * Every process offers the job repeatedly. The database accepts one offer for each interval and refuses the others, and
 * at most one job waits. So a killed process cannot end the recurrence, and no leader has to be elected. A job whose
 * process is killed does not run again: the next one does the rest of the work.
 */
import type { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { OutageReport } from "./outageReport.ts";

export interface Recurring {
  /** The queue's name. */
  readonly name: string;
  /** From 1 second to a day. Fractions are rounded. */
  readonly everySeconds: number;
  /** Runs in one of the processes, for all of them. What it throws is logged. */
  readonly run: () => Promise<void>;
  /** Runs in every process, about twice in each interval. What it throws is logged. */
  readonly runHere?: () => Promise<void>;
}

/** How soon another process takes a job that the process which offered it could not begin. */
const longestPollSeconds = 30;

/** Returns the function that ends the recurrence. */
export async function recur(
  job: Recurring,
  { boss, log, report }: { boss: PgBoss; log: Logger; report: OutageReport },
): Promise<() => Promise<void>> {
  const { name, runHere = async () => {} } = job;
  const seconds = Math.max(1, Math.round(job.everySeconds));
  // With `short`, at most one job waits.
  await boss.createQueue(name, { policy: "short" });
  const run = () =>
    job
      .run()
      .catch((err) =>
        log.warn({ job: name, err }, "Recurring job failed; it runs again in the next interval"),
      );
  const pollingIntervalSeconds = Math.min(seconds, longestPollSeconds);
  const worker = await boss.work(name, { pollingIntervalSeconds }, run);

  async function offer(): Promise<void> {
    try {
      // The row marks the interval as taken, so it is kept for longer than the interval.
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
    void runHere().catch((err) => log.warn({ job: name, err }, "Local maintenance failed"));
  };
  tick();
  // Twice in each interval, because an offer that comes just before an interval begins is refused.
  const timer = setInterval(tick, Math.min(seconds * 500, 60_000));
  return async () => {
    clearInterval(timer);
    await boss.offWork(name);
  };
}
