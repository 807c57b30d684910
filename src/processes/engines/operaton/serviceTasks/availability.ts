import type { Logger } from "pino";
import { type EngineError, isJudgement } from "../restErrors.ts";

export interface Availability {
  /** The engine answered. Resolves once what waited for that has run: then fetch again. */
  worked(): Promise<void>;
  /** Returns how long to wait before the next call, in milliseconds. */
  failed(error: unknown): number;
  /** Runs `work` once the engine answers again. */
  whenBack(work: () => Promise<void>): void;
}

/** The longest pause between two calls while the engine is away. */
const longestPauseMs = 15_000;
/** Errors in a row that the engine itself makes now and then, under load, and that mean nothing. */
const hiccups = 5;

/** Knows whether tasks can be fetched. Logs one line when that ends and one when it begins again. */
export function createAvailability(log: Logger): Availability {
  let failures = 0;
  let isAway = false;
  let waiting: (() => Promise<void>) | undefined;
  return {
    worked: async () => {
      if (isAway) log.info("Service tasks are no longer delayed");
      failures = 0;
      isAway = false;
      const work = waiting;
      waiting = undefined;
      await work?.().catch((err) =>
        log.debug({ err }, "Locked tasks were not given back; their locks expire"),
      );
    },
    failed: (error) => {
      failures++;
      if (isHiccup(error) && failures <= hiccups) return 100;
      if (!isAway) log.warn({ err: error }, "Service tasks are delayed");
      isAway = true;
      return Math.min(longestPauseMs, 500 * 2 ** Math.min(failures, 10));
    },
    whenBack: (work) => {
      waiting = work;
    },
  };
}

/** `fetchAndLock` answers 500 with a NullPointerException now and then. */
const isHiccup = (error: unknown) => isJudgement(error) && (error as EngineError).status >= 500;
