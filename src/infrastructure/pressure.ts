/**
 * Tells when the process is overloaded. Then new requests are refused before they are read.
 *
 * A timer measures how late the event loop is. Bun also has `monitorEventLoopDelay`, but that gives a histogram of
 * the past, in which one stall stays visible until a reset. One late tick is not enough for pressure: a single long
 * piece of work is over when the tick notices it, so refusing the next requests would help nobody. Three late ticks
 * in a row are pressure, and the first tick in time ends it, a tenth of a second later.
 */
import type { Logger } from "pino";

export interface Pressure {
  /** Why the process is overloaded. Undefined if it is not. */
  reason(): "lag" | "memory" | undefined;
  stop(): void;
}

export interface PressureLimits {
  /** How late the event loop may be. */
  readonly maxLagMs: number;
  /** Limit for the resident memory of the process. */
  readonly maxBytes: number;
  readonly log: Logger;
}

const tickMs = 100;
const lateTicksOfPressure = 3;
/** Reading the memory of the process takes about ten microseconds. */
const ticksPerMemoryCheck = 5;
const collectEveryMs = 5_000;

export function watchPressure({ maxLagMs, maxBytes, log }: PressureLimits): Pressure {
  let due = performance.now() + tickMs;
  let lateTicks = 0;
  let ticks = 0;
  let isFull = false;
  let collectedAt = Number.NEGATIVE_INFINITY;
  let logged: ReturnType<Pressure["reason"]>;

  const reason = () => {
    if (isFull) return "memory";
    return lateTicks >= lateTicksOfPressure ? "lag" : undefined;
  };

  function tick(): void {
    const now = performance.now();
    lateTicks = now - due > maxLagMs ? lateTicks + 1 : 0;
    due = now + tickMs;
    if (ticks++ % ticksPerMemoryCheck === 0) checkMemory(now);
    logChange(now);
  }

  function checkMemory(now: number): void {
    isFull = process.memoryUsage.rss() > maxBytes;
    if (!isFull || now - collectedAt < collectEveryMs) return;
    // While new requests are refused, little memory is allocated, and Bun may not collect the garbage by itself.
    Bun.gc(true);
    collectedAt = performance.now();
    isFull = process.memoryUsage.rss() > maxBytes;
  }

  /** Logs one line when an overload begins and one when it ends. Refused requests are not logged. */
  function logChange(now: number): void {
    const current = reason();
    if (current === logged) return;
    logged = current;
    const figures = { lag_ms: Math.round(now - due + tickMs), rss: process.memoryUsage.rss() };
    if (current) log.warn({ reason: current, ...figures }, "Server overloaded; new requests get 503");
    else log.info(figures, "Server no longer overloaded");
  }

  const timer = setInterval(tick, tickMs);
  timer.unref();
  return { reason, stop: () => clearInterval(timer) };
}
