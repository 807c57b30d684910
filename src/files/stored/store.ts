/**
 * Stores files that are not form attachments: general uploads, and attachments of messages. Either all files of a
 * request are stored, or nothing is left behind.
 */
import type { Tx } from "../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { hasHung, noteAbandoned } from "../abandonedObjects.ts";
import { objectKey } from "../fileKind.ts";
import type { VerifiedFile } from "../inspectUpload.ts";
import { insertWithinQuota } from "../quotas.ts";
import {
  insertReceiving,
  markDeleting,
  markStored,
  type NewStoredFile,
  storedAmong,
  storedFiles,
} from "./queries.ts";

/** Who uploaded the files, and where they belong. */
export type Owner = Pick<NewStoredFile, "tenantId" | "uploadedBy" | "messageId">;

export interface Incoming {
  readonly row: NewStoredFile;
  /** The temporary file with its bytes, which exists until the request ends. */
  readonly path: string;
}

/** The ids ascend, so that the files of a request keep their order. */
export function incoming({ path, fileName, mimeType, size, sha256 }: VerifiedFile, owner: Owner): Incoming {
  return { path, row: { ...owner, id: Bun.randomUUIDv7(), fileName, mimeType, size, sha256 } };
}

export interface StoreOptions<T> {
  /** Runs in the transaction that marks the files as stored. */
  readonly inTransaction: (tx: Tx) => Promise<T>;
}

/**
 * Inserts rows in state `receiving`, stores the objects, and only then sets the state `stored`. A crash in between
 * leaves rows for the sweep, never an object without a row. Throws `insufficient_storage`, `storage_unavailable`, and
 * `request_timeout` if it took so long that the sweep has removed the rows.
 */
export async function storeFiles<T>(
  files: readonly Incoming[],
  deps: Infrastructure,
  { inTransaction }: StoreOptions<T>,
): Promise<T> {
  const rows = files.map(({ row }) => row);
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  const upload = { tenantId: rows[0]?.tenantId ?? 0, bytes, quota: deps.config.tenantStorageQuota };
  await insertWithinQuota(deps.sql, upload, (on) => insertReceiving(on, rows));
  const begun = performance.now();
  try {
    for (const file of files) await put(file, deps);
    return await (deps.sql.begin((tx) => settle(tx, rows, inTransaction)) as Promise<T>);
  } catch (error) {
    await abandon(rows, deps, { hasHung: hasHung(error, begun) });
    throw error;
  }
}

/** As `storeFiles`. */
export const storeFile = (file: Incoming, deps: Infrastructure): Promise<void> =>
  storeFiles([file], deps, { inTransaction: async () => {} });

async function settle<T>(
  tx: Tx,
  rows: readonly NewStoredFile[],
  inTransaction: StoreOptions<T>["inTransaction"],
): Promise<T> {
  const ids = rows.map(({ id }) => id);
  if ((await markStored(tx, ids)) < ids.length) throw tookTooLong();
  return inTransaction(tx);
}

const put = ({ row, path }: Incoming, { storage }: Infrastructure) =>
  storage.put(objectKey(storedFiles, row), {
    path,
    size: row.size,
    sha256: row.sha256,
    contentType: row.mimeType,
  });

/**
 * Cleans up after a failed upload. The objects may have been stored, or may be stored later. What cannot be removed
 * now, the sweep removes later. A storage that hung is not asked again, because the client has waited long enough.
 *
 * If only the answer to the commit was lost, the files are stored and stay. That commit may still be running, so the
 * state is read after `markDeleting` has locked the rows.
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
    log.warn({ file_ids: ids, err }, "Failed upload not cleaned up; the sweep will do it");
  }
}

const tookTooLong = () => new Problem("request_timeout", { message: "Storing the file took too long." });
