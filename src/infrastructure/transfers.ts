/**
 * Exports and imports that run at the same time. Each holds a connection for as long as its rows take, so all of them
 * together use a fifth of the pool, and one tenant half of that.
 */
import { createFairShare, type FairShare, NoRoom } from "./fairShare.ts";
import { Problem } from "./problem.ts";

const maxWaitMs = 10_000;
const maxWaiting = 16;

export function createTransfers(connections: number): FairShare {
  const capacity = Math.max(1, Math.floor(connections / 5));
  return createFairShare({ capacity, groupCapacity: Math.ceil(capacity / 2), maxWaitMs, maxWaiting });
}

/** Waits for a place and returns what frees it. Throws `busy` after ten seconds. */
export async function takeTransfer(transfers: FairShare, tenantId: number): Promise<() => void> {
  try {
    return await transfers.take(String(tenantId));
  } catch (cause) {
    if (!(cause instanceof NoRoom)) throw cause;
    throw new Problem("busy", {
      message: "Other imports and exports are running. Try again later.",
      headers: { "Retry-After": "10" },
      cause,
    });
  }
}
