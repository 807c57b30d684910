/** What is due to go: its object first, then its row, so that no object is left that nobody knows of (design 8). */
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { type FileKind, type FileRef, objectKey } from "../fileKind.ts";

const batchSize = 200;
const removedAtOnce = 8;

/** Claims up to `count` rows for this process alone: they are `deleting` from here on. */
export type Claim = (count: number) => Promise<readonly FileRef[]>;

/**
 * In batches, until nothing is due, the process drains, or the storage fails. Answers how many are gone. Throws
 * `storage_unavailable`; what was claimed by then is claimed again after a while.
 */
export async function removeDue(
  kind: FileKind,
  { sql, storage, draining }: Infrastructure,
  { claim }: { readonly claim: Claim },
): Promise<number> {
  for (let removed = 0; ; ) {
    const claimed = draining() ? [] : await claim(batchSize);
    if (claimed.length === 0) return removed;
    const { gone, failure } = await removeObjects(claimed, { kind, storage });
    await kind.deleteRows(sql, gone);
    removed += gone.length;
    if (failure !== undefined) throw failure;
  }
}

/** The ids whose objects are gone; a failure ends it, since the storage is likely to fail at the rest as well. */
async function removeObjects(
  claimed: readonly FileRef[],
  { kind, storage }: { kind: FileKind; storage: Infrastructure["storage"] },
): Promise<{ gone: string[]; failure?: unknown }> {
  const gone: string[] = [];
  for (let at = 0; at < claimed.length; at += removedAtOnce) {
    const some = claimed.slice(at, at + removedAtOnce);
    const removals = some.map((place) =>
      storage.remove(objectKey(kind, place)).then(() => gone.push(place.id)),
    );
    const failed = (await Promise.allSettled(removals)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") return { gone, failure: failed.reason };
  }
  return { gone };
}
