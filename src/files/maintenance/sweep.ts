/**
 * The sweep removes drafts that nobody committed in time, attachments that were committed without an instance and never
 * taken by one, and the remains of uploads and removals that a crash interrupted. It also repeats the removal of
 * abandoned objects, because a storage that hung may store them late.
 *
 * A removal sets the state `deleting`, then removes the object, then the row. It can stop after any of these steps, and
 * the next sweep continues there. Any number of sweeps may run at the same time: a row is claimed by one of them, and a
 * removal that happens twice does no harm.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { deleteStale } from "../../infrastructure/rateLimits.ts";
import { purgeExpiredKeys } from "../../tenants/idempotency/purge.ts";
import { purgeExpiredRevocations } from "../../tenants/tokenRevocations/queries.ts";
import { removeAbandoned } from "../abandonedObjects.ts";
import { attachments, claimForRemoval, claimUnbound } from "../attachments/queries.ts";
import { purgeExpiredSessions } from "../attachments/sessionQueries.ts";
import { purgeExpiredTokens } from "../attachments/tokenQueries.ts";
import { deleteOldDays } from "../quotas.ts";
import { claimForRemoval as claimStoredFiles, storedFiles } from "../stored/queries.ts";
import { removeDue } from "./removeDue.ts";

/** A removal that began less than an interval, or a minute, ago is probably still running in another process. */
const longestLeaseSeconds = 60;
/** No upload or download leaves its temporary file unchanged for this long. */
const leftoverMs = 60 * 60 * 1000;

/** Returns how many files it removed. Throws `storage_unavailable`, after everything that needs no storage is done. */
export async function sweepOnce(deps: Infrastructure): Promise<number> {
  const { sql, config, log } = deps;
  await purgeExpiredTokens(sql);
  await purgeExpiredSessions(sql);
  await deleteStale(sql);
  await purgeExpiredRevocations(sql);
  await deleteOldDays(sql);
  await purgeExpiredKeys(sql);
  // The embedded engine binds files in the transaction that writes the variable.
  const isFollowed = config.engine !== undefined;
  const leaseSeconds = Math.min(longestLeaseSeconds, config.draftSweepIntervalSeconds);
  // Independent of each other: an object that cannot be removed stops only its own removal.
  const outcomes = await Promise.allSettled([
    removeDue(attachments, deps, {
      claim: (count) =>
        claimForRemoval(sql, { draftHours: config.draftMaxAgeHours, leaseSeconds, count, isFollowed }),
    }),
    removeDue(attachments, deps, {
      claim: (count) => claimUnbound(sql, { days: config.unboundMaxAgeDays, count, isFollowed }),
    }),
    removeDue(storedFiles, deps, { claim: (count) => claimStoredFiles(sql, { leaseSeconds, count }) }),
    removeAbandoned(deps),
  ]);
  const removed = outcomes.reduce(
    (sum, outcome) => sum + (outcome.status === "fulfilled" ? (outcome.value ?? 0) : 0),
    0,
  );
  if (removed > 0) log.info({ removed }, "Sweep removed files that were never committed or stored");
  const failed = outcomes.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return removed;
}

/** Removes temporary files that a killed process left in `<dataDir>/uploads`. Each process cleans its own folder. */
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
