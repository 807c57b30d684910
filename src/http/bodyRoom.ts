/**
 * The room that request bodies share: how many may arrive at a time, and how many bytes of them may be in memory. A
 * body that finds no room waits unread, for a moment: Bun stops reading from its connection. Then it is refused.
 */
import { createFairShare, type FairShare, NoRoom } from "../infrastructure/fairShare.ts";
import { overloaded } from "./refuseUnderPressure.ts";
import type { RequestContext } from "./requestContext.ts";

export interface BodyRoom {
  /** JSON bodies that arrive. */
  readonly bodies: FairShare;
  /** Multipart bodies that arrive. Their files go to disk, but each has buffers and a file open. */
  readonly uploads: FairShare;
  /** Bytes of large JSON bodies, from before they are read until they are answered. */
  readonly bytes: FairShare;
  /** Large bodies are parsed one at a time: several would each take a turn of every round of the event loop. */
  readonly parsing: FairShare;
}

export interface BodyPlace {
  readonly room: BodyRoom;
  /** Whose share of the room a body takes. */
  readonly group: string;
}

const MiB = 1024 ** 2;
const waiting = { maxWaitMs: 5_000, maxWaiting: 1_000 };

/**
 * The values of a body take about six times its size, at worst twenty times. So with 128 MiB the bodies of a process
 * take some 800 MB; those of one tenant half of it, which is two of the largest at a time.
 */
export const createBodyRoom = (): BodyRoom => ({
  bodies: createFairShare({ capacity: 1_024, groupCapacity: 256, ...waiting }),
  uploads: createFairShare({ capacity: 256, groupCapacity: 64, ...waiting }),
  bytes: createFairShare({ capacity: 128 * MiB, groupCapacity: 64 * MiB, ...waiting, maxWaiting: 64 }),
  parsing: createFairShare({ capacity: 1, groupCapacity: 1, maxWaitMs: 30_000, maxWaiting: 64 }),
});

/** Whose share a request takes: visitors of a tenant have one beside that of its users. */
export function groupOf({ caller }: RequestContext): string {
  if (caller === undefined) return "unknown";
  return "subject" in caller ? String(caller.tenant.id) : `${caller.tenant.id} visitors`;
}

/** Takes from a share, or throws `overloaded`. */
export async function takeRoom(share: FairShare, group: string, amount = 1): Promise<() => void> {
  try {
    return share.tryTake(group, amount) ?? (await share.take(group, amount));
  } catch (cause) {
    if (!(cause instanceof NoRoom)) throw cause;
    throw noRoom(cause);
  }
}

export const noRoom = (cause?: unknown) =>
  overloaded("The server receives as many requests as it can. Try again later.", cause);
