/**
 * Says when the process has more to do than it can: then new requests are refused before they are read.
 *
 * A timer measures by how much the event loop is late. `monitorEventLoopDelay` exists in Bun as well, but gives a
 * histogram of the past, in which one stall stays visible until somebody resets it. Here one late tick is not enough:
 * a single long piece of work is over when it is seen, so refusing what comes next would help nobody. Three late ticks
 * in a row are pressure, and the first tick in time ends it, a tenth of a second later.
 */
import type { Logger } from "pino";

export interface Pressure {
  /** What there is too much of; undefined while there is room for new work. */
  reason(): "lag" | "memory" | undefined;
  stop(): void;
}

export interface PressureLimits {
  /** By how much the event loop may be late. */
  readonly maxLagMs: number;
  /** Resident memory of the process. */
  readonly maxBytes: number;
  readonly log: Logger;
}

const tickMs = 100;
const lateTicksOfPressure = 3;
/** Reading the process's memory takes some ten microseconds. */
const ticksPerMemoryLook = 5;
const collectEveryMs = 5_000;

export function watchPressure({ maxLagMs, maxBytes, log }: PressureLimits): Pressure {
  let due = performance.now() + tickMs;
  let lateTicks = 0;
  let ticks = 0;
  let isFull = false;
  let collectedAt = Number.NEGATIVE_INFINITY;
  let told: ReturnType<Pressure["reason"]>;

  const reason = () => {
    if (isFull) return "memory";
    return lateTicks >= lateTicksOfPressure ? "lag" : undefined;
  };

  function tick(): void {
    const now = performance.now();
    lateTicks = now - due > maxLagMs ? lateTicks + 1 : 0;
    due = now + tickMs;
    if (ticks++ % ticksPerMemoryLook === 0) lookAtMemory(now);
    tell(now);
  }

  function lookAtMemory(now: number): void {
    isFull = process.memoryUsage.rss() > maxBytes;
    if (!isFull || now - collectedAt < collectEveryMs) return;
    // While nothing new is let in, little is allocated, and Bun may not collect what has become garbage.
    Bun.gc(true);
    collectedAt = performance.now();
    isFull = process.memoryUsage.rss() > maxBytes;
  }

  /** One line when it begins and one when it is over: what is refused in between has none of its own. */
  function tell(now: number): void {
    const current = reason();
    if (current === told) return;
    told = current;
    const figures = { lag_ms: Math.round(now - due + tickMs), rss: process.memoryUsage.rss() };
    if (current) log.warn({ reason: current, ...figures }, "Server overloaded; new requests get 503");
    else log.info(figures, "Server no longer overloaded");
  }

  const timer = setInterval(tick, tickMs);
  timer.unref();
  return { reason, stop: () => clearInterval(timer) };
}
