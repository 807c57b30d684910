import type { Logger } from "pino";

export type OutageReport = ReturnType<typeof outageReport>;

/** Logs one line when an outage begins and one when it is over, because pg-boss reports a failure with every poll. */
export function outageReport(log: Logger) {
  let failing = false;
  return {
    failed: (err: unknown) => {
      log[failing ? "debug" : "warn"]({ err }, "Background jobs are delayed");
      failing = true;
    },
    worked: () => {
      if (failing) log.info("Background jobs are no longer delayed");
      failing = false;
    },
  };
}
