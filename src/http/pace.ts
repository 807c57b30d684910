/** How slowly a body may arrive. */
import { Problem } from "../infrastructure/problem.ts";

export interface PaceLimits {
  /** For the whole body, milliseconds. */
  readonly timeoutMs: number;
  /** Within this time another `stepBytes` have to arrive, or the end of the body. Milliseconds. */
  readonly stallMs: number;
}

export interface Pace {
  arrived(bytes: number): void;
  stop(): void;
}

/** A phone in a bad place still gets its file through; a client that sends a byte a minute does not. */
export const stallMs = 10_000;
const stepBytes = 40_000;
const slowestBytesPerMs = 40;

/** For the whole of a body. */
export const timeToSend = (bytes: number) => 60_000 + bytes / slowestBytesPerMs;

/** Calls `end` with `request_timeout` once, when the body is too slow. */
export function watchPace(limits: PaceLimits, end: (problem: Problem) => void): Pace {
  const give = () => {
    stop();
    end(tooSlow());
  };
  const deadline = setTimeout(give, limits.timeoutMs);
  const stall = setTimeout(give, limits.stallMs);
  let since = 0;
  const stop = () => {
    clearTimeout(deadline);
    clearTimeout(stall);
  };
  return {
    arrived: (bytes) => {
      since += bytes;
      if (since < stepBytes) return;
      since = 0;
      stall.refresh();
    },
    stop,
  };
}

/** What is left of such a body may never come, so its connection is closed. */
export const tooSlow = () => new Problem("request_timeout", { headers: { Connection: "close" } });
