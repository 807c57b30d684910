/** How much of its jobs one group, usually a tenant, may have running in a process. */
const groupShare = 1 / 4;

/** Options of pg-boss's `fetch`. */
export interface FetchLimits {
  /** Small enough that all of the jobs could be of one group. */
  readonly batchSize: number;
  /** Groups that have their share already. */
  readonly ignoreGroups: string[];
}

/**
 * What may be fetched while these jobs run, given as their groups, if at most `maxRunning` may run at a time. No group
 * gets more than its share, so a group whose jobs take long leaves room for the others.
 */
export function fetchLimits(running: readonly (string | undefined)[], maxRunning: number): FetchLimits {
  const share = Math.ceil(maxRunning * groupShare);
  const counts = [...Map.groupBy(running, (group) => group)].flatMap(([group, { length }]) =>
    group === undefined ? [] : [{ group, count: length }],
  );
  const ignoreGroups = counts.filter(({ count }) => count >= share).map(({ group }) => group);
  const largest = Math.max(0, ...counts.map(({ count }) => count).filter((count) => count < share));
  const free = maxRunning - running.length;
  return { batchSize: Math.max(0, Math.min(free, share - largest)), ignoreGroups };
}
