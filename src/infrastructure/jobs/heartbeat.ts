/**
 * The age of a job's last confirmed heartbeat. After `lostAfterSeconds` without one, another process may take the job.
 * So check this age before doing anything that must not happen twice.
 */

/** The time on both clocks. The monotonic clock may stop while the machine is suspended; the other one may be set. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export interface Heartbeat {
  /** `at` is the time before the heartbeat was sent, because the database counts from a time after that. */
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
