/** A folder on a file system of its own, which can be made full: a tmpfs, which takes no memory while it is empty. */
import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";

export interface Disk {
  /** Leaves as good as nothing free. */
  fill(): Promise<void>;
  empty(): Promise<void>;
  unmount(): Promise<void>;
}

const run = promisify(execFile);
/** Beyond any reserve of free space that a process may demand. */
const size = "16g";
const left = 32 * 1024;

/** Undefined where this machine lets nobody mount. */
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
