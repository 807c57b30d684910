/**
 * Compares what the storage holds with what the database knows (design 8). Safe beside running servers: a row comes
 * before its object and goes after it, and what is young enough to be under way is left alone.
 *
 * Neither side is ever in memory whole: the listing goes into a temporary table, and the differences come out in
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

/** One difference. `repaired`: it is none any more. */
export type Finding =
  | { readonly kind: "object without row"; readonly key: string; readonly repaired: boolean }
  /** Lies among the files of a kind, and is named like none. Never touched. */
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
  /** Called for each kind of files with how many objects and rows there are. */
  readonly onKind?: (counts: { readonly objects: number; readonly rows: number }) => void;
}

const pageSize = 1000;

/** Throws `storage_unavailable`, and what the database fails with; run again, it begins anew. */
export async function* reconcile(
  { sql, storage }: Pick<Infrastructure, "sql" | "storage">,
  options: ReconcileOptions,
): AsyncGenerator<Finding> {
  await storage.ready();
  // One connection, since the table is that connection's.
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
    // A listing may miss what changes beside it: the object itself has the last word.
    if (await isThere(storage, objectKey(kind, row))) continue;
    const repaired = repair && (await kind.deleteLost(sql, row));
    yield { kind: "row without object", ...row, repaired };
  }
}

/** Everything that `next` gives, page after page. */
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
