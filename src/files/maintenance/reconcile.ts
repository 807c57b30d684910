/**
 * Compares the objects in the storage with the rows in the database. It can run while servers run: a row is inserted
 * before its object and deleted after it, and uploads and removals that may still be running are not touched.
 *
 * Neither side is ever in memory as a whole: the listing goes into a temporary table, and the differences are read in
 * pages.
 */
import type { Queryable } from "../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { ListedObject } from "../../infrastructure/storage/storage.ts";
import { isUuid } from "../../infrastructure/uuid.ts";
import { attachments } from "../attachments/queries.ts";
import { type FileKind, type FileRef, objectKey } from "../fileKind.ts";
import { storedFiles } from "../stored/queries.ts";
import {
  analyzeSeen,
  beforeAll,
  countBoth,
  createSeen,
  dropSeen,
  insertSeen,
  objectsWithoutRows,
  rowsWithoutObjects,
  type SeenObject,
  type State,
} from "./reconcileQueries.ts";

/** One difference. `repaired`: it has been removed. */
export type Finding =
  | { readonly kind: "object without row"; readonly key: string; readonly repaired: boolean }
  /** An object in the folder of a kind whose key is no file's. Never touched. */
  | { readonly kind: "unknown object"; readonly key: string; readonly repaired: false }
  | {
      readonly kind: "row without object";
      readonly id: string;
      readonly tenantId: number;
      readonly state: State;
      readonly repaired: boolean;
    };

export interface ReconcileOptions {
  /** Removes objects without rows, and rows without objects unless they are committed or stored. */
  readonly repair: boolean;
  /** Called for each kind of files with its numbers of objects and rows. */
  readonly onKind?: (counts: { readonly objects: number; readonly rows: number }) => void;
}

const pageSize = 1000;

/** Throws `storage_unavailable` and errors of the database. A second run begins anew. */
export async function* reconcile(
  { sql, storage }: Pick<Infrastructure, "sql" | "storage">,
  options: ReconcileOptions,
): AsyncGenerator<Finding> {
  await storage.ready();
  // One connection, because it owns the temporary table.
  const connection = await sql.reserve();
  try {
    for (const kind of [attachments, storedFiles]) yield* compare(connection, { kind, storage, ...options });
  } finally {
    await dropSeen(connection).catch(() => {});
    connection.release();
  }
}

interface Subject extends ReconcileOptions {
  readonly kind: FileKind;
  readonly storage: Infrastructure["storage"];
}

async function* compare(sql: Queryable, subject: Subject): AsyncGenerator<Finding> {
  await dropSeen(sql);
  const started = await createSeen(sql);
  yield* noteObjects(sql, subject);
  await analyzeSeen(sql);
  if (subject.onKind) subject.onKind(await countBoth(sql, subject.kind));
  yield* strayObjects(sql, { ...subject, started });
  yield* lostObjects(sql, { ...subject, started });
}

async function* noteObjects(sql: Queryable, { kind, storage }: Subject): AsyncGenerator<Finding> {
  let page: SeenObject[] = [];
  for await (const object of storage.list(`${kind.folder}/`)) {
    const seen = seenObject(kind, object);
    if (seen) page.push(seen);
    else yield { kind: "unknown object", key: object.key, repaired: false };
    if (page.length < pageSize) continue;
    await insertSeen(sql, page);
    page = [];
  }
  await insertSeen(sql, page);
}

function seenObject(kind: FileKind, { key, modifiedAt }: ListedObject): SeenObject | undefined {
  const [, tenant, id = ""] = key.split("/");
  const place = { tenantId: Number(tenant), id };
  const named = isUuid(id) && Number.isSafeInteger(place.tenantId) && key === objectKey(kind, place);
  return named ? { ...place, modifiedAt } : undefined;
}

interface Comparison extends Subject {
  readonly started: Date;
}

async function* strayObjects(
  sql: Queryable,
  { kind, storage, started, repair }: Comparison,
): AsyncGenerator<Finding> {
  const next = (after: FileRef) => objectsWithoutRows(sql, { kind, after, started, count: pageSize });
  for await (const place of pages(next)) {
    const key = objectKey(kind, place);
    if (repair) await storage.remove(key);
    yield { kind: "object without row", key, repaired: repair };
  }
}

async function* lostObjects(
  sql: Queryable,
  { kind, storage, started, repair }: Comparison,
): AsyncGenerator<Finding> {
  const next = (after: FileRef) => rowsWithoutObjects(sql, { kind, after, started, count: pageSize });
  for await (const row of pages(next)) {
    // A listing may miss what changes meanwhile. Only a request for the object is certain.
    if (await isThere(storage, objectKey(kind, row))) continue;
    const repaired = repair && (await kind.deleteLost(sql, row));
    yield { kind: "row without object", ...row, repaired };
  }
}

/** Yields everything that `next` returns, page after page. */
async function* pages<T extends FileRef>(next: (after: FileRef) => Promise<T[]>): AsyncGenerator<T> {
  for (let after = beforeAll; ; ) {
    const page = await next(after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last;
  }
}

async function isThere(storage: Infrastructure["storage"], key: string): Promise<boolean> {
  const object = await storage.get(key);
  await object?.body.cancel();
  return object !== undefined;
}
