/**
 * A limited amount of something that all tenants use together, such as threads, connections or bytes in memory.
 *
 * A group, usually a tenant, holds no more than its share, so one that takes all it can leaves room for the others.
 * Groups that wait are served in turn, one request each: a group with a hundred waiting requests does not delay a group
 * with one.
 */
import { withTimeout } from "./withTimeout.ts";

export interface FairShareOptions {
  /** The whole amount. */
  readonly capacity: number;
  /** What one group may hold at a time. */
  readonly groupCapacity: number;
  /** How long a request waits for its turn, in milliseconds. */
  readonly maxWaitMs: number;
  /** How many requests of one group may wait. */
  readonly maxWaiting: number;
}

/** Gives back what was taken. May be called more than once, and as a listener: it ignores arguments. */
export interface Release {
  (): void;
  /** Gives back all but this amount. */
  allBut(amount: number): void;
}

export interface FairShare {
  /**
   * Waits for `amount` and returns the function that gives it back. An amount above a group's share counts as the whole
   * share. Throws `NoRoom` after `maxWaitMs`, or at once if too many wait.
   */
  take(group: string, amount?: number): Promise<Release>;
  /** Like `take`, but never waits. Undefined if there is no room now. */
  tryTake(group: string, amount?: number): Release | undefined;
  /** The amount held now, by one group or by all. */
  held(group?: string): number;
}

/** There was no room in time. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

interface Waiter {
  readonly amount: number;
  readonly grant: () => void;
}

export function createFairShare(options: FairShareOptions): FairShare {
  const { capacity, groupCapacity, maxWaitMs, maxWaiting } = options;
  const largest = Math.min(capacity, groupCapacity);
  const heldBy = new Map<string, number>();
  /** Groups in the order of their turns. */
  const waiting = new Map<string, Waiter[]>();
  let held = 0;

  const fits = (group: string, amount: number) =>
    held + amount <= capacity && (heldBy.get(group) ?? 0) + amount <= largest;

  function hold(group: string, amount: number): Release {
    held += amount;
    heldBy.set(group, (heldBy.get(group) ?? 0) + amount);
    let left = amount;
    const allBut = (kept: number) => {
      const given = left - kept;
      if (given <= 0) return;
      left = kept;
      held -= given;
      const rest = (heldBy.get(group) ?? 0) - given;
      if (rest > 0) heldBy.set(group, rest);
      else heldBy.delete(group);
      serve();
    };
    return Object.assign(() => allBut(0), { allBut });
  }

  /** Serves the requests that fit now. A group that was served goes to the end of the line. */
  function serve(): void {
    for (const [group, line] of [...waiting]) {
      const [first] = line;
      if (first === undefined || !fits(group, first.amount)) continue;
      line.shift();
      waiting.delete(group);
      if (line.length > 0) waiting.set(group, line);
      first.grant();
    }
  }

  function tryTake(group: string, amount = 1): Release | undefined {
    const size = Math.min(amount, largest);
    return !waiting.has(group) && fits(group, size) ? hold(group, size) : undefined;
  }

  async function take(group: string, amount = 1): Promise<Release> {
    const taken = tryTake(group, amount);
    if (taken) return taken;
    const line = waiting.get(group) ?? [];
    if (line.length >= maxWaiting)
      throw new NoRoom(`${maxWaiting} requests of this group are waiting already`);
    const size = Math.min(amount, largest);
    const { promise, resolve } = Promise.withResolvers<Release>();
    const waiter = { amount: size, grant: () => resolve(hold(group, size)) };
    line.push(waiter);
    waiting.set(group, line);
    const giveUp = () => {
      leave(group, waiter);
      throw new NoRoom(`there was no room for ${maxWaitMs} ms`);
    };
    return withTimeout(promise, { ms: maxWaitMs, onTimeout: giveUp });
  }

  /** Removes a request that gave up. The next one of its group may fit. */
  function leave(group: string, waiter: Waiter): void {
    const line = waiting.get(group) ?? [];
    const at = line.indexOf(waiter);
    if (at >= 0) line.splice(at, 1);
    if (line.length === 0) waiting.delete(group);
    serve();
  }

  return { take, tryTake, held: (group) => (group === undefined ? held : (heldBy.get(group) ?? 0)) };
}
