/** Removes files that are due: the object first, then the row, so that no object is left without a row. */
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { type FileKind, type FileRef, objectKey } from "../fileKind.ts";

const batchSize = 200;
const maxConcurrentRemovals = 8;

/** Sets up to `count` rows that are due to `deleting`, so that only this process removes them. */
export type Claim = (count: number) => Promise<readonly FileRef[]>;

/**
 * Removes files in batches until none is due, the process drains, or the storage fails. Returns how many it removed.
 * Throws `storage_unavailable`; the claimed rest can be claimed again when the lease has ended.
 */
export async function removeDue(
  kind: FileKind,
  { sql, storage, draining }: Infrastructure,
  { claim }: { readonly claim: Claim },
): Promise<number> {
  for (let total = 0; ; ) {
    const claimed = draining() ? [] : await claim(batchSize);
    if (claimed.length === 0) return total;
    const { removed, failure } = await removeObjects(claimed, { kind, storage });
    await kind.deleteRows(sql, removed);
    total += removed.length;
    if (failure !== undefined) throw failure;
  }
}

/** Returns the ids whose objects are removed. Stops at a failure, because the storage is likely to fail again. */
async function removeObjects(
  claimed: readonly FileRef[],
  { kind, storage }: { kind: FileKind; storage: Infrastructure["storage"] },
): Promise<{ removed: string[]; failure?: unknown }> {
  const removed: string[] = [];
  for (let at = 0; at < claimed.length; at += maxConcurrentRemovals) {
    const some = claimed.slice(at, at + maxConcurrentRemovals);
    const removals = some.map((file) =>
      storage.remove(objectKey(kind, file)).then(() => removed.push(file.id)),
    );
    const failed = (await Promise.allSettled(removals)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") return { removed, failure: failed.reason };
  }
  return { removed };
}
