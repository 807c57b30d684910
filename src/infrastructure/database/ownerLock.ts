/**
 * One server owns a data folder at a time.
 *
 * The lock is one of SQLite on an empty file. It is a file lock on every operating system, every process of the machine
 * sees it, and the kernel releases it when its holder ends, in whatever way. So it is never stale.
 */
import { Database, SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { ConfigError } from "../config.ts";

/** Takes `<dataDir>/owner.lock` and returns the function that releases it. Throws a one-line ConfigError. */
export function takeOwnership(dataDir: string): () => void {
  const lock = new Database(join(dataDir, "owner.lock"));
  try {
    lock.run("BEGIN EXCLUSIVE");
    return () => lock.close();
  } catch (cause) {
    lock.close();
    if (!(cause instanceof SQLiteError) || !cause.code?.startsWith("SQLITE_BUSY")) throw cause;
    throw new ConfigError(
      `DATA_DIR ${dataDir} is in use by another running Waybill server: stop that one, or set another DATA_DIR`,
      { cause },
    );
  }
}
