import type { Logger } from "pino";

export type OutageReport = ReturnType<typeof outageReport>;

/** One line when an outage begins and one when it is over: pg-boss fails again with every poll. */
export function outageReport(log: Logger) {
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
