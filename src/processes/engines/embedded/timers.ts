/** Timers that do not tick. The engine sets them, and a step fires one that is due. */
import type { ITimers } from "bpmn-elements";

/** The event that set a timer. */
interface Owner {
  readonly id: string;
  readonly executionId: string;
  readonly expireAt: Date;
  /** The event's pass. */
  readonly parent: { readonly executionId: string };
}

export interface RecordedTimer {
  readonly timerId: string;
  readonly owner: Owner;
  readonly fire: () => void;
}

export interface RecordedTimers extends ITimers {
  /** The timers that are set, earliest first. */
  waiting(): readonly RecordedTimer[];
  /** Removes the timer and triggers its event. */
  fire(timer: RecordedTimer): void;
  /** The database's time of the step. */
  readonly now: Date;
  /** Whether a timer was set, also one that is cleared by now: the step depends on the time. */
  readonly wereSet: boolean;
}

export function recordedTimers(now: Date): RecordedTimers {
  const timers = new Set<RecordedTimer>();
  let wereSet = false;
  const clearTimeout = (timer: RecordedTimer) => void timers.delete(timer);
  const register = (owner: Owner) => ({
    setTimeout: (fire: () => void) => {
      const timer = { timerId: `timer_${timers.size}`, owner, fire };
      timers.add(timer);
      wereSet = true;
      return timer;
    },
    clearTimeout,
  });
  const setTimeout = () => {
    throw new Error("a timer has no owner");
  };
  return {
    register,
    setTimeout,
    clearTimeout,
    now,
    get wereSet() {
      return wereSet;
    },
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
