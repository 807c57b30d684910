/**
 * The room that request bodies share: how many may arrive at the same time, and how many bytes of them may be in
 * memory. A body without room waits unread for a moment, while Bun stops reading from its connection. Then it is
 * refused.
 */
import { createFairShare, type FairShare, NoRoom } from "../infrastructure/fairShare.ts";
import { overloaded } from "./refuseUnderPressure.ts";
import type { RequestContext } from "./requestContext.ts";

export interface BodyRoom {
  /** JSON bodies that are arriving. */
  readonly bodies: FairShare;
  /** Multipart bodies that are arriving. Their files go to disk, but each has buffers and an open file. */
  readonly uploads: FairShare;
  /** Bytes of large JSON bodies, from before they are read until they are answered. */
  readonly bytes: FairShare;
  /** Large bodies are parsed one at a time. Several would each take a turn in every round of the event loop. */
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
 * The parsed values of a body take about six times its size, in the worst case twenty times. So with 128 MiB the bodies
 * of a process take about 800 MB. One tenant gets half of that: two of the largest bodies at the same time.
 */
export const createBodyRoom = (): BodyRoom => ({
  bodies: createFairShare({ capacity: 1_024, groupCapacity: 256, ...waiting }),
  uploads: createFairShare({ capacity: 256, groupCapacity: 64, ...waiting }),
  bytes: createFairShare({ capacity: 128 * MiB, groupCapacity: 64 * MiB, ...waiting, maxWaiting: 64 }),
  parsing: createFairShare({ capacity: 1, groupCapacity: 1, maxWaitMs: 30_000, maxWaiting: 64 }),
});

/** Whose share a request takes. The visitors of a tenant have their own share, apart from its users. */
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
  overloaded("The server is receiving too many requests. Try again later.", cause);
