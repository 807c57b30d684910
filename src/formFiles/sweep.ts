/**
 * The sweep: what nobody committed goes, and what a crash left half done is finished (reference 3, design 8).
 *
 * Each step can be the last: an attachment is `deleting` first, then its object goes, then its row, and the next sweep
 * goes on from any of these. Any number of sweeps may run at once: rows are claimed by one, and doing a removal twice
 * does no harm.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../deps.ts";
import { forgetQuietKeys } from "../rateLimits/queries.ts";
import { objectKey } from "./attachment.ts";
import { claimForRemoval, deleteRows, forgetExpired } from "./queries.ts";

type Claimed = Awaited<ReturnType<typeof claimForRemoval>>[number];

const batchSize = 200;
const removedAtOnce = 8;
/** Longer than any upload or download needs its temporary file unchanged. */
const leftoverMs = 60 * 60 * 1000;

/** Answers how many attachments it removed. Throws `storage_unavailable`, after all that needs no storage is done. */
export async function sweepOnce(deps: Deps): Promise<number> {
  await forgetExpired(deps.sql);
  await forgetQuietKeys(deps.sql);
  const removed = await removeDue(deps);
  if (removed > 0) deps.log.info({ removed }, "swept attachments that were never committed");
  return removed;
}

/** In batches, until nothing is due, the process drains, or the storage fails. */
async function removeDue({ sql, storage, config, draining }: Deps): Promise<number> {
  const limits = {
    draftHours: config.draftMaxAgeHours,
    // A removal that began within the last interval is likely under way elsewhere.
    leaseSeconds: Math.min(60, config.draftSweepIntervalSeconds),
    count: batchSize,
  };
  for (let removed = 0; ; ) {
    const claimed = draining() ? [] : await claimForRemoval(sql, limits);
    if (claimed.length === 0) return removed;
    const { gone, failure } = await removeObjects(claimed, storage);
    await deleteRows(sql, gone);
    removed += gone.length;
    if (failure !== undefined) throw failure;
  }
}

/** The ids whose objects are gone; a failure ends it, since the storage is likely to fail at the rest as well. */
async function removeObjects(
  claimed: readonly Claimed[],
  storage: Deps["storage"],
): Promise<{ gone: string[]; failure?: unknown }> {
  const gone: string[] = [];
  for (let at = 0; at < claimed.length; at += removedAtOnce) {
    const some = claimed.slice(at, at + removedAtOnce);
    const removals = some.map(({ id, tenantId }) =>
      storage.remove(objectKey(tenantId, id)).then(() => gone.push(id)),
    );
    const failed = (await Promise.allSettled(removals)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") return { gone, failure: failed.reason };
  }
  return { gone };
}

/** Temporary files that a killed process left in `<dataDir>/uploads`. Each process has its own to look after. */
export async function removeLeftoverUploads(dataDir: string): Promise<void> {
  const folder = join(dataDir, "uploads");
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const modifiedAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (Date.now() - modifiedAt > leftoverMs) await rm(path, { force: true });
  }
}
