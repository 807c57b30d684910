/**
 * One server owns a data folder at a time.
 *
 * The lock is SQLite's on a file of no content: the file lock of every operating system behind one call, seen by
 * every process of the machine, and let go by the kernel however its holder dies, so it is never stale.
 */
import { Database, SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { ConfigError } from "../config.ts";

/** Takes `<dataDir>/owner.lock` or throws a one-line ConfigError. Returns what lets it go. */
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
