/** A folder on a separate file system that can be filled: a tmpfs, which takes no memory while it is empty. */
import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";

export interface Disk {
  /** Leaves almost nothing free. */
  fill(): Promise<void>;
  empty(): Promise<void>;
  unmount(): Promise<void>;
}

const run = promisify(execFile);
/** Larger than the reserve of free space that a process keeps. */
const size = "16g";
const left = 32 * 1024;

/** Returns undefined if this machine does not allow to mount. */
export async function mountDisk(folder: string): Promise<Disk | undefined> {
  const options = (bytes: string) => ["-t", "tmpfs", "-o", `size=${bytes},mode=0700`];
  try {
    await run("mount", [...options(size), "tmpfs", folder]);
  } catch {
    return undefined;
  }
  const resize = (bytes: string) => run("mount", ["-o", `remount,size=${bytes}`, folder]);
  return {
    fill: async () => {
      for (let tries = 0; tries < 20; tries++) {
        const { blocks, bfree, bsize } = await statfs(folder);
        const done = await resize(String((blocks - bfree) * bsize + left)).then(
          () => true,
          () => false,
        );
        if (done) return;
      }
      throw new Error(`${folder} could not be filled`);
    },
    empty: async () => void (await resize(size)),
    unmount: async () => void (await run("umount", ["-l", folder])),
  };
}
