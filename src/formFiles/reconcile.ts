/**
 * Compares what the storage holds with what the database knows (design 8). Safe beside running servers: a row comes
 * before its object and goes after it, and what is young enough to be under way is left alone.
 *
 * Neither side is ever in memory whole: the listing goes into a temporary table, and the differences come out in
 * pages.
 */
import type { Queryable } from "../database/connect.ts";
import type { Deps } from "../deps.ts";
import type { ListedObject } from "../storage/storage.ts";
import { idOfKey, isUuid, objectKey } from "./attachment.ts";
import {
  analyzeSeen,
  beforeAll,
  createSeen,
  deleteLost,
  dropSeen,
  insertSeen,
  objectsWithoutRows,
  type Place,
  rowsWithoutObjects,
  type SeenObject,
  type State,
} from "./reconcileQueries.ts";

/** One difference. `repaired`: it is none any more. */
export type Finding =
  | { readonly kind: "object without row"; readonly key: string; readonly repaired: boolean }
  /** Lies among the attachments, and is named like none. Never touched. */
  | { readonly kind: "unknown object"; readonly key: string; readonly repaired: false }
  | {
      readonly kind: "row without object";
      readonly id: string;
      readonly tenantId: number;
      readonly state: State;
      readonly repaired: boolean;
    };

export interface ReconcileOptions {
  /** Removes objects without rows, and rows without objects unless they are committed. */
  readonly repair: boolean;
}

const pageSize = 1000;

/** Throws `storage_unavailable`, and what the database fails with; run again, it begins anew. */
export async function* reconcile(
  { sql, storage }: Pick<Deps, "sql" | "storage">,
  { repair }: ReconcileOptions,
): AsyncGenerator<Finding> {
  await storage.ready();
  // One connection, since the table is that connection's.
  const connection = await sql.reserve();
  try {
    const started = await createSeen(connection);
    yield* noteObjects(connection, storage);
    await analyzeSeen(connection);
    yield* strayObjects(connection, { storage, started, repair });
    yield* lostObjects(connection, { storage, started, repair });
  } finally {
    await dropSeen(connection).catch(() => {});
    connection.release();
  }
}

interface Comparison extends ReconcileOptions {
  readonly storage: Deps["storage"];
  readonly started: Date;
}

async function* noteObjects(sql: Queryable, storage: Deps["storage"]): AsyncGenerator<Finding> {
  let page: SeenObject[] = [];
  for await (const object of storage.list("attachments/")) {
    const seen = attachmentOf(object);
    if (seen) page.push(seen);
    else yield { kind: "unknown object", key: object.key, repaired: false };
    if (page.length < pageSize) continue;
    await insertSeen(sql, page);
    page = [];
  }
  await insertSeen(sql, page);
}

function attachmentOf({ key, modifiedAt }: ListedObject): SeenObject | undefined {
  const id = idOfKey(key);
  const tenantId = Number(key.split("/")[1]);
  const named =
    id !== undefined && isUuid(id) && Number.isSafeInteger(tenantId) && key === objectKey(tenantId, id);
  return named ? { id, tenantId, modifiedAt } : undefined;
}

async function* strayObjects(
  sql: Queryable,
  { storage, started, repair }: Comparison,
): AsyncGenerator<Finding> {
  const next = (after: Place) => objectsWithoutRows(sql, { after, started, count: pageSize });
  for await (const { tenantId, id } of pages(next)) {
    const key = objectKey(tenantId, id);
    if (repair) await storage.remove(key);
    yield { kind: "object without row", key, repaired: repair };
  }
}

async function* lostObjects(
  sql: Queryable,
  { storage, started, repair }: Comparison,
): AsyncGenerator<Finding> {
  const next = (after: Place) => rowsWithoutObjects(sql, { after, started, count: pageSize });
  for await (const row of pages(next)) {
    // A listing may miss what changes beside it: the object itself has the last word.
    if (await isThere(storage, objectKey(row.tenantId, row.id))) continue;
    const repaired = repair && (await deleteLost(sql, row));
    yield { kind: "row without object", ...row, repaired };
  }
}

/** Everything that `next` gives, page after page. */
async function* pages<T extends Place>(next: (after: Place) => Promise<T[]>): AsyncGenerator<T> {
  for (let after = beforeAll; ; ) {
    const page = await next(after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last;
  }
}

async function isThere(storage: Deps["storage"], key: string): Promise<boolean> {
  const object = await storage.get(key);
  await object?.body.cancel();
  return object !== undefined;
}
