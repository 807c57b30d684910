/**
 * Compares a checkpoint with the records that are there now, and names the records that were changed, removed or added.
 * Pure: the records come from the database or from a file.
 */
import { type CheckpointHead, contentOf, digestOf } from "./hashes.ts";

export interface Checkpoint extends CheckpointHead {
  readonly content: Uint8Array;
  readonly digest: Uint8Array;
  /** Of each record its id and the first eight bytes of its hash: 16 bytes. Null if the records were purged. */
  readonly entries: Uint8Array | null;
  readonly purged_at: string | null;
}

export interface HashedRecord {
  readonly id: bigint;
  readonly hash: Uint8Array;
}

/** The checkpoint before, or where the chain begins. */
export interface Link {
  readonly number: bigint;
  readonly lastId: bigint;
  readonly digest: Uint8Array;
  /** Whether all records up to here were purged. */
  readonly purged: boolean;
}

export interface TrailFault {
  readonly kind:
    | "record_changed"
    | "record_removed"
    | "record_added"
    | "checkpoint_changed"
    | "checkpoint_removed";
  /** The id of the record, or the number of the checkpoint. */
  readonly id: string;
}

const entryBytes = 16;

export const chainStart = (digest: Uint8Array): Link => ({ number: 0n, lastId: 0n, digest, purged: true });

export const linkOf = ({ number, last_id, digest, purged_at }: Checkpoint): Link => ({
  number: BigInt(number),
  lastId: BigInt(last_id),
  digest,
  purged: purged_at !== null,
});

/** What a checkpoint keeps of its records. */
export function entriesOf(records: readonly HashedRecord[]): Uint8Array {
  const entries = Buffer.alloc(records.length * entryBytes);
  for (const [index, { id, hash }] of records.entries()) {
    entries.writeBigInt64BE(id, index * entryBytes);
    entries.set(hash.subarray(0, 8), index * entryBytes + 8);
  }
  return entries;
}

/** `found` are the records in the checkpoint's range that are there now, in the order of their ids. */
export function judge(before: Link, checkpoint: Checkpoint, found: readonly HashedRecord[]): TrailFault[] {
  const number = BigInt(checkpoint.number);
  const missing = checkpointsBetween(before.number, number);
  if (missing.length > 0) return missing;
  const faults = recordFaults(before, checkpoint, found);
  if (faults.length > 0) return faults;
  // The hashes of purged records are gone with them.
  const content = isPurged(before, checkpoint)
    ? checkpoint.content
    : contentOf(found.map(({ hash }) => hash));
  const isProved =
    BigInt(checkpoint.after_id) === before.lastId &&
    isSame(checkpoint.content, content) &&
    isSame(checkpoint.digest, digestOf(before.digest, checkpoint, content));
  return isProved ? [] : [{ kind: "checkpoint_changed", id: checkpoint.number }];
}

/** Retention removes no younger record. */
const leastAgeMs = 30 * 24 * 60 * 60 * 1000;

/** Retention removes old records, from the oldest on. A purged checkpoint that it cannot have made is a lie. */
const isPurged = (before: Link, { purged_at, newest_at }: Checkpoint) =>
  purged_at !== null && before.purged && Date.parse(purged_at) - Date.parse(newest_at) >= leastAgeMs;

function checkpointsBetween(before: bigint, number: bigint): TrailFault[] {
  const missing: TrailFault[] = [];
  for (let next = before + 1n; next < number && missing.length < 100; next++)
    missing.push({ kind: "checkpoint_removed", id: String(next) });
  return missing;
}

function recordFaults(before: Link, checkpoint: Checkpoint, found: readonly HashedRecord[]): TrailFault[] {
  const added = (id: bigint): TrailFault => ({ kind: "record_added", id: String(id) });
  if (isPurged(before, checkpoint)) return found.map(({ id }) => added(id));
  const { entries } = checkpoint;
  if (entries === null || entries.length % entryBytes !== 0)
    return [{ kind: "checkpoint_changed", id: checkpoint.number }];
  const covered = new Map<bigint, Uint8Array>();
  const view = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength);
  for (let at = 0; at < view.length; at += entryBytes)
    covered.set(view.readBigInt64BE(at), view.subarray(at + 8, at + entryBytes));
  const faults: TrailFault[] = [];
  for (const { id, hash } of found) {
    const prefix = covered.get(id);
    if (!prefix) faults.push(added(id));
    else if (!isSame(prefix, hash.subarray(0, 8))) faults.push({ kind: "record_changed", id: String(id) });
    covered.delete(id);
  }
  for (const id of covered.keys()) faults.push({ kind: "record_removed", id: String(id) });
  return faults;
}

const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;
