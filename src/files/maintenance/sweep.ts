/**
 * The sweep: removes what nobody committed and what was committed without an instance that ever took it, and finishes
 * what a crash left half done; stored files as well, which have no draft's age. Objects of uploads that were given up are
 * removed again, since a storage that hung may store them late.
 *
 * Each step can be the last: a file is `deleting` first, then its object goes, then its row, and the next sweep
 * goes on from any of these. Any number of sweeps may run at once: rows are claimed by one, and doing a removal twice
 * does no harm.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { deleteStale } from "../../infrastructure/rateLimits.ts";
import { purgeExpiredRevocations } from "../../tenants/tokenRevocations/queries.ts";
import { attachments, claimForRemoval, claimUnbound, purgeExpired } from "../attachments/queries.ts";
import { removeAbandoned } from "../abandonedObjects.ts";
import { forgetOldDays } from "../quotas.ts";
import { removeDue } from "./removeDue.ts";
import { claimForRemoval as claimStoredFiles, storedFiles } from "../stored/queries.ts";

/** A removal that began within the last interval, or minute, is likely under way elsewhere. */
const longestLeaseSeconds = 60;
/** Longer than any upload or download needs its temporary file unchanged. */
const leftoverMs = 60 * 60 * 1000;

/** Answers how many files it removed. Throws `storage_unavailable`, after all that needs no storage is done. */
export async function sweepOnce(parts: Infrastructure): Promise<number> {
  const { sql, config, log } = parts;
  await purgeExpired(sql);
  await deleteStale(sql);
  await purgeExpiredRevocations(sql);
  await forgetOldDays(sql);
  const leaseSeconds = Math.min(longestLeaseSeconds, config.draftSweepIntervalSeconds);
  // Each whatever becomes of the other: an object that cannot be removed holds up its own kind alone.
  const outcomes = await Promise.allSettled([
    removeDue(attachments, parts, {
      claim: (count) => claimForRemoval(sql, { draftHours: config.draftMaxAgeHours, leaseSeconds, count }),
    }),
    removeDue(attachments, parts, {
      claim: (count) => claimUnbound(sql, { days: config.unboundMaxAgeDays, count }),
    }),
    removeDue(storedFiles, parts, { claim: (count) => claimStoredFiles(sql, { leaseSeconds, count }) }),
    removeAbandoned(parts),
  ]);
  const removed = outcomes.reduce(
    (sum, outcome) => sum + (outcome.status === "fulfilled" ? (outcome.value ?? 0) : 0),
    0,
  );
  if (removed > 0) log.info({ removed }, "swept files that were never committed or stored");
  const failed = outcomes.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return removed;
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
