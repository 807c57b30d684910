/**
 * How many connections of a pool a tenant may use at a time.
 *
 * A tenant's requests and its jobs each have a share. Statements beyond it wait outside of the pool, for a limited time
 * and in a limited number, and tenants that wait are served in turn. All tenants together leave a reserve for work that
 * no tenant asked for: authentication, rate limits, maintenance. So a tenant whose statements are slow, or wait for
 * locks, delays only itself.
 *
 * The pool learns the tenant from the asynchronous context, so a function that takes `sql` need not know for whom it
 * works.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createFairShare, type FairShare, NoRoom } from "../fairShare.ts";
import { poolError } from "./pool.ts";

/** For whom statements run. */
export interface Lane {
  readonly kind: "request" | "job";
  /** The tenant's id. */
  readonly tenant: number | string;
}

const current = new AsyncLocalStorage<Lane | undefined>();

/** Runs `work`, and whatever it awaits, in a lane. `undefined` leaves the current one: the work is no tenant's. */
export const inLane = <T>(lane: Lane | undefined, work: () => T): T => current.run(lane, work);

export interface Lanes {
  /** Waits for a connection in the current lane and returns what frees it. Throws an error with code POOL_TIMEOUT. */
  enter(): Promise<() => void>;
}

/** The shares of a pool's connections: of all tenants together, of one tenant's requests, of one tenant's jobs. */
export const sharesOf = (connections: number) => ({
  together: Math.max(1, connections - Math.round(connections * 0.2)),
  request: Math.max(1, Math.floor(connections * 0.4)),
  job: Math.max(1, Math.floor(connections * 0.3)),
});

export interface LaneOptions {
  /** How long a statement may wait. */
  readonly waitSeconds: number;
  /** How many statements of one tenant may wait. */
  readonly maxWaiting: number;
}

export function createLanes(connections: number, { waitSeconds, maxWaiting }: LaneOptions): Lanes {
  const shares = sharesOf(connections);
  const waits = { maxWaitMs: waitSeconds * 1000, maxWaiting };
  // A statement needs a place in the share of its kind, and one in the share of all tenants.
  const share = (groupCapacity: number) =>
    createFairShare({ capacity: Number.POSITIVE_INFINITY, groupCapacity, ...waits });
  const own = { request: share(shares.request), job: share(shares.job) };
  const together = createFairShare({ capacity: shares.together, groupCapacity: shares.together, ...waits });
  return {
    enter: async () => {
      const lane = current.getStore();
      if (!lane) return () => {};
      const tenant = String(lane.tenant);
      const leaveOwn = await taken(own[lane.kind], tenant);
      try {
        const leaveTogether = await taken(together, tenant);
        return () => {
          leaveTogether();
          leaveOwn();
        };
      } catch (error) {
        leaveOwn();
        throw error;
      }
    },
  };
}

async function taken(share: FairShare, group: string): Promise<() => void> {
  try {
    return await share.take(group);
  } catch (cause) {
    if (!(cause instanceof NoRoom)) throw cause;
    throw poolError("POOL_TIMEOUT", "the tenant has its share of the connections in use", cause);
  }
}
