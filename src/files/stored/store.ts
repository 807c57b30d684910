/** Files that are no form attachments become stored, all of them at once, or leave nothing behind (design 9). */
import type { Tx } from "../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { objectKey } from "../fileKind.ts";
import { hasHung, noteAbandoned } from "../abandonedObjects.ts";
import type { VerifiedFile } from "../inspectUpload.ts";
import { insertWithin } from "../quotas.ts";
import {
  insertReceiving,
  markDeleting,
  markStored,
  type NewStoredFile,
  storedAmong,
  storedFiles,
} from "./queries.ts";

/** To whom files belong. */
export type Owner = Pick<NewStoredFile, "tenantId" | "uploadedBy" | "messageId">;

export interface Incoming {
  readonly row: NewStoredFile;
  /** Where its bytes are until the request ends. */
  readonly path: string;
}

/** Ids are ascending: files that came together keep their order. */
export function incoming({ path, fileName, mimeType, size, sha256 }: VerifiedFile, owner: Owner): Incoming {
  return { path, row: { ...owner, id: Bun.randomUUIDv7(), fileName, mimeType, size, sha256 } };
}

export interface StoreOptions<T> {
  /** What becomes true in the same moment. */
  readonly along: (tx: Tx) => Promise<T>;
}

/**
 * Rows that say `receiving`, the objects, and only then `stored`. A crash in between leaves rows for the sweep, never
 * an object that nobody knows of. Throws `insufficient_storage`, `storage_unavailable`, and `request_timeout` where it took so long that the
 * sweep took the files for abandoned ones.
 */
export async function storeFiles<T>(
  files: readonly Incoming[],
  parts: Infrastructure,
  { along }: StoreOptions<T>,
): Promise<T> {
  const rows = files.map(({ row }) => row);
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  const room = { tenantId: rows[0]?.tenantId ?? 0, bytes, quota: parts.config.tenantStorageQuota };
  await insertWithin(parts.sql, room, (on) => insertReceiving(on, rows));
  const begun = performance.now();
  try {
    for (const file of files) await put(file, parts);
    return await (parts.sql.begin((tx) => settle(tx, rows, along)) as Promise<T>);
  } catch (error) {
    await abandon(rows, parts, { hasHung: hasHung(error, begun) });
    throw error;
  }
}

/** As `storeFiles`. */
export const storeFile = (file: Incoming, parts: Infrastructure): Promise<void> =>
  storeFiles([file], parts, { along: async () => {} });

async function settle<T>(
  tx: Tx,
  rows: readonly NewStoredFile[],
  along: StoreOptions<T>["along"],
): Promise<T> {
  const ids = rows.map(({ id }) => id);
  if ((await markStored(tx, ids)) < ids.length) throw tooSlow();
  return along(tx);
}

const put = ({ row, path }: Incoming, { storage }: Infrastructure) =>
  storage.put(objectKey(storedFiles, row), {
    path,
    size: row.size,
    sha256: row.sha256,
    contentType: row.mimeType,
  });

/**
 * The objects may or may not have arrived, and may arrive yet. What cannot be cleaned up now the sweep does later. A
 * storage that hung is not asked again: the client has waited for it long enough.
 *
 * A commit whose answer was lost has stored the files all the same. Only a look that comes after the rows were locked
 * tells, since that commit may be under way yet.
 */
async function abandon(
  rows: readonly NewStoredFile[],
  { sql, storage, log }: Infrastructure,
  { hasHung }: { readonly hasHung: boolean },
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  try {
    await markDeleting(sql, ids);
    const stored = new Set(await storedAmong(sql, ids));
    const gone = rows.filter(({ id }) => !stored.has(id));
    const keys = gone.map((row) => objectKey(storedFiles, row));
    await noteAbandoned(sql, keys);
    if (!hasHung) for (const key of keys) await storage.remove(key);
    await storedFiles.deleteRows(
      sql,
      gone.map(({ id }) => id),
    );
  } catch (err) {
    log.warn({ file_ids: ids, err }, "an upload that failed is left to the sweep");
  }
}

const tooSlow = () => new Problem("request_timeout", { message: "Storing the file took too long." });
