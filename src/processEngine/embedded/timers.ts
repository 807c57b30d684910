/** Timers that never tick: the engine sets them, and they are only remembered. */
import type { ITimers } from "bpmn-elements";

interface RecordedTimer {
  readonly timerId: string;
  readonly expireAt: Date;
}

export interface RecordedTimers extends ITimers {
  /** The first of the moments that something waits for. */
  next(): Date | undefined;
}

export function recordedTimers(): RecordedTimers {
  const waiting = new Set<RecordedTimer>();
  const setTimeout = (_callback: unknown, delay: number) => {
    const timer = { timerId: `timer_${waiting.size}`, expireAt: new Date(Date.now() + delay) };
    waiting.add(timer);
    return timer;
  };
  const clearTimeout = (timer: RecordedTimer) => void waiting.delete(timer);
  const api = { setTimeout, clearTimeout };
  return {
    ...api,
    register: () => api,
    get executing() {
      return [...waiting];
    },
    next: () => [...waiting].map(({ expireAt }) => expireAt).sort((a, b) => a.getTime() - b.getTime())[0],
  } as never;
}
