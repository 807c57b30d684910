/**
 * The age of a job's last confirmed heartbeat. After `lostAfterSeconds` without one another process may take the job,
 * so whoever is about to do something that must not happen twice first looks at this age.
 */

/** A moment on both clocks: the monotonic one may stop with a suspended machine, the other one may be set. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export interface Heartbeat {
  /** `at` is the moment before the heartbeat was sent: the database counts from some time after it. */
  confirm(at: Moment): void;
  /** Milliseconds. */
  ageMs(): number;
}

export const moment = (): Moment => ({ monotonic: performance.now(), wall: Date.now() });

/** A fetch is a job's first heartbeat. */
export function heartbeatSince(fetchedAt: Moment): Heartbeat {
  let last = fetchedAt;
  return {
    confirm: (at) => {
      last = at;
    },
    ageMs: () => {
      const now = moment();
      return Math.max(now.monotonic - last.monotonic, now.wall - last.wall);
    },
  };
}
