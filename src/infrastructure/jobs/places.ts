/**
 * The places of a process that works on a queue. A group of jobs, say a tenant's, takes at most a quarter of them, so
 * that one whose jobs take long leaves room for the others.
 */
const groupShare = 1 / 4;

export interface Room {
  /** So many jobs as could all be of one group. */
  readonly batchSize: number;
  /** Groups that have their share. */
  readonly ignoreGroups: string[];
}

/** What may be fetched beside the jobs that run, told by their groups. */
export function roomBeside(running: readonly (string | undefined)[], places: number): Room {
  const free = places - running.length;
  const share = Math.ceil(places * groupShare);
  const groups = [...Map.groupBy(running, (group) => group)].flatMap(([group, { length }]) =>
    group === undefined ? [] : [{ group, length }],
  );
  const full = groups.filter(({ length }) => length >= share).map(({ group }) => group);
  const largest = Math.max(0, ...groups.map(({ length }) => length).filter((length) => length < share));
  return { batchSize: Math.max(0, Math.min(free, share - largest)), ignoreGroups: full };
}
