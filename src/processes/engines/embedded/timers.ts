/** Timers that never tick: the engine sets them, and they are fired one by one, by whoever comes when they are due. */
import type { ITimers } from "bpmn-elements";

/** What the engine says of a timer that it sets. */
interface Owner {
  readonly id: string;
  readonly executionId: string;
  readonly expireAt: Date;
}

export interface RecordedTimer {
  readonly timerId: string;
  readonly owner: Owner;
  readonly fire: () => void;
}

export interface RecordedTimers extends ITimers {
  /** What waits for a moment, the earliest first. */
  waiting(): readonly RecordedTimer[];
  /** Takes it from those that wait, and has its event happen. */
  fire(timer: RecordedTimer): void;
  /** When the step happens, by the database's clock. */
  readonly now: Date;
}

export function recordedTimers(now: Date): RecordedTimers {
  const timers = new Set<RecordedTimer>();
  const clearTimeout = (timer: RecordedTimer) => void timers.delete(timer);
  const register = (owner: Owner) => ({
    setTimeout: (fire: () => void) => {
      const timer = { timerId: `timer_${timers.size}`, owner, fire };
      timers.add(timer);
      return timer;
    },
    clearTimeout,
  });
  const setTimeout = () => {
    throw new Error("a timer of nobody");
  };
  return {
    register,
    setTimeout,
    clearTimeout,
    now,
    get executing() {
      return [...timers];
    },
    waiting: () => [...timers].sort((a, b) => a.owner.expireAt.getTime() - b.owner.expireAt.getTime()),
    fire: (timer: RecordedTimer) => {
      timers.delete(timer);
      timer.fire();
    },
  } as never;
}
