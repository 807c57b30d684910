/** Limits how slowly a body may arrive. */
import { Problem } from "../infrastructure/problem.ts";

export interface PaceLimits {
  /** For the whole body, milliseconds. */
  readonly timeoutMs: number;
  /** Within this time, another `stepBytes` or the end of the body has to arrive. Milliseconds. */
  readonly stallMs: number;
}

export interface Pace {
  arrived(bytes: number): void;
  stop(): void;
}

/** A phone with a bad connection can still send its file. A client that sends a byte a minute cannot. */
export const stallMs = 10_000;
const stepBytes = 40_000;
const slowestBytesPerMs = 40;

/** Milliseconds for a whole body of this size. */
export const timeToSend = (bytes: number) => 60_000 + bytes / slowestBytesPerMs;

/** Calls `end` once with `request_timeout` if the body is too slow. */
export function watchPace(limits: PaceLimits, end: (problem: Problem) => void): Pace {
  const giveUp = () => {
    stop();
    end(tooSlow());
  };
  const deadline = setTimeout(giveUp, limits.timeoutMs);
  const stall = setTimeout(giveUp, limits.stallMs);
  let sinceLastStep = 0;
  const stop = () => {
    clearTimeout(deadline);
    clearTimeout(stall);
  };
  return {
    arrived: (bytes) => {
      sinceLastStep += bytes;
      if (sinceLastStep < stepBytes) return;
      sinceLastStep = 0;
      stall.refresh();
    },
    stop,
  };
}

/** Closes the connection, because the rest of the body may never come. */
export const tooSlow = () => new Problem("request_timeout", { headers: { Connection: "close" } });
