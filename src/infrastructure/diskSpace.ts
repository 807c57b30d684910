/**
 * Room on the disk of DATA_DIR, through which every upload passes, and every download from S3.
 *
 * A part of the disk is kept free: a database on the same disk must not be stopped by uploads. What is being written
 * counts before it is there, so that a hundred uploads at once do not each find the same room.
 */
import { statfs } from "node:fs/promises";
import { createFairShare } from "./fairShare.ts";
import { Problem, type ProblemOptions } from "./problem.ts";

export interface DiskSpace {
  /**
   * Sets room aside for bytes that are about to be written; returns the function that ends that, which may be called more
   * than once. Throws `insufficient_storage`.
   */
  hold(bytes: number): Promise<() => void>;
  /**
   * As `hold`, for the copy of a file that is fetched to be sent: tenants take turns, and wait up to ten seconds for the
   * copies of others to go. Throws `busy`.
   */
  holdCopy(bytes: number, group: string): Promise<() => void>;
  /** Whether less than the reserve is free. */
  isLow(): Promise<boolean>;
}

export interface DiskSpaceOptions {
  /** Any path on the disk. */
  readonly path: string;
  /** Bytes; 5 % of the disk where absent, and 1 GB at most. */
  readonly reserveBytes: number | undefined;
}

/** Copies are gone a second after their sending began, so there are few at a time. */
const copyLimits = {
  capacity: 512 * 1024 ** 2,
  groupCapacity: 256 * 1024 ** 2,
  maxWaitMs: 10_000,
  maxWaiting: 256,
};

const defaultReserve = { share: 0.05, mostBytes: 1024 ** 3 };

export function createDiskSpace({ path, reserveBytes }: DiskSpaceOptions): DiskSpace {
  const copies = createFairShare(copyLimits);
  let held = 0;

  /** Bytes above the reserve, without what is set aside. */
  async function room(): Promise<number> {
    const { bsize, blocks, bavail } = await statfs(path);
    const reserve = reserveBytes ?? Math.min(defaultReserve.mostBytes, blocks * bsize * defaultReserve.share);
    return bavail * bsize - reserve;
  }

  async function hold(bytes: number): Promise<() => void> {
    const free = await room();
    if (free - held < bytes) throw noRoom();
    held += bytes;
    let isHeld = true;
    return () => {
      if (isHeld) held -= bytes;
      isHeld = false;
    };
  }

  async function holdCopy(bytes: number, group: string): Promise<() => void> {
    try {
      const leave = await copies.take(group, bytes);
      const release = await hold(bytes).catch((cause) => {
        leave();
        throw cause;
      });
      return () => {
        release();
        leave();
      };
    } catch (cause) {
      throw new Problem("busy", {
        message: "There is no room to fetch the file at the moment. Nothing was used up.",
        headers: { "Retry-After": "5" },
        cause,
      });
    }
  }

  return { hold, holdCopy, isLow: async () => (await room()) < 0 };
}

/** Whether an error says that a disk is full, or an account's part of it. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

export const noRoom = (options: Pick<ProblemOptions, "message" | "cause"> = {}) =>
  new Problem("insufficient_storage", {
    message: "There is no room for the file at the moment. Nothing was stored.",
    ...options,
  });
