/**
 * Space on the disk of DATA_DIR. Every upload passes through this disk, and every download from S3.
 *
 * A reserve of the disk stays free, so that uploads cannot stop a database on the same disk. Space is held before it is
 * written, so that a hundred simultaneous uploads do not all find the same free space.
 */
import { statfs } from "node:fs/promises";
import { createFairShare } from "./fairShare.ts";
import { Problem, type ProblemOptions } from "./problem.ts";

export interface DiskSpace {
  /**
   * Holds space for bytes that are about to be written. Returns the function that releases it, which may be called more
   * than once. Throws `insufficient_storage`.
   */
  hold(bytes: number): Promise<() => void>;
  /**
   * Holds space for the copy of a file that is fetched to be sent. Tenants take turns, and wait up to ten seconds until
   * other copies are removed. Throws `busy`.
   */
  holdCopy(bytes: number, group: string): Promise<() => void>;
  /** Whether less than the reserve is free. */
  isLow(): Promise<boolean>;
}

export interface DiskSpaceOptions {
  /** Any path on the disk. */
  readonly path: string;
  /** Bytes. Default: 5 % of the disk, at most 1 GB. */
  readonly reserveBytes: number | undefined;
}

/** A copy is removed a second after it began to be sent, so there are few at a time. */
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

  /** Free bytes above the reserve. Held bytes that are not written yet count as free. */
  async function free(): Promise<number> {
    const { bsize, blocks, bavail } = await statfs(path);
    const reserve = reserveBytes ?? Math.min(defaultReserve.mostBytes, blocks * bsize * defaultReserve.share);
    return bavail * bsize - reserve;
  }

  async function hold(bytes: number): Promise<() => void> {
    if ((await free()) - held < bytes) throw noRoom();
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
        message:
          "There is no room to fetch the file at the moment. A download URL stays valid. Try again later.",
        headers: { "Retry-After": "5" },
        cause,
      });
    }
  }

  return { hold, holdCopy, isLow: async () => (await free()) < 0 };
}

/** Whether an error says that a disk, or the quota of this account on it, is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

export const noRoom = (options: Pick<ProblemOptions, "message" | "cause"> = {}) =>
  new Problem("insufficient_storage", {
    message: "There is no room for the file at the moment. Nothing was stored.",
    ...options,
  });
