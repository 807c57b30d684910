/**
 * A database and a storage that belong together have the same identity: a row in the database, the object
 * `waybill/identity` in the storage. With the wrong one of the two a server would lose files, and a repair would remove
 * all of them.
 */
import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { makePrivateFolder } from "../../infrastructure/privateFolder.ts";
import { isUuid } from "../../infrastructure/uuid.ts";
import type { FileRef } from "../fileKind.ts";

type IdentityContext = Pick<Infrastructure, "sql" | "storage" | "config">;

const identityKey = "waybill/identity";

/** The database and the storage do not belong together, or Waybill cannot know it. The message is one line. */
export class StorageMismatch extends Error {
  override readonly name = "StorageMismatch";
}

/**
 * Runs when a server starts. A side without an identity gets one if both are empty, or if the database knows files of
 * the storage, as after an upgrade. Throws `StorageMismatch` and `storage_unavailable`.
 */
export async function agreeOnIdentity(context: IdentityContext): Promise<void> {
  const { ofDatabase, ofStorage } = await readIdentities(context);
  if (ofDatabase !== undefined && ofStorage !== undefined) return compare(ofDatabase, ofStorage);
  if (!(await belongTogether(context)))
    throw new StorageMismatch(
      "The storage and the database do not match: at least one of them has files, but they share none. " +
        "Check DATABASE_URL and DATA_DIR or S3_BUCKET. If they belong together, run: bun run reconcile --adopt",
    );
  await adoptIdentity(context);
}

/** Runs before a reconcile. Throws `StorageMismatch` unless both sides have the same identity. */
export async function requireIdentity(context: IdentityContext): Promise<void> {
  const { ofDatabase, ofStorage } = await readIdentities(context);
  if (ofDatabase === undefined || ofStorage === undefined)
    throw new StorageMismatch(
      "The database and the storage are not known to belong together: " +
        "start the server once, or run: bun run reconcile --adopt",
    );
  compare(ofDatabase, ofStorage);
}

/** Gives both sides the identity that one of them has, or a new one. If they differ, the database's is taken. */
export async function adoptIdentity(context: IdentityContext): Promise<void> {
  const { ofStorage } = await readIdentities(context);
  const wanted = ofStorage ?? crypto.randomUUID();
  await context.sql`insert into waybill.storage_identity (id) values (${wanted}) on conflict do nothing`;
  // Another process may have been first.
  const id = (await identityOfDatabase(context.sql)) ?? wanted;
  if (id !== ofStorage) await writeIdentity(context, id);
}

function compare(ofDatabase: string, ofStorage: string): void {
  if (ofDatabase === ofStorage) return;
  throw new StorageMismatch(
    `The storage belongs to another database (its identity is ${ofStorage}, the database's is ${ofDatabase}): ` +
      "check DATABASE_URL and DATA_DIR or S3_BUCKET",
  );
}

async function readIdentities({ sql, storage }: IdentityContext) {
  const object = await storage.get(identityKey);
  const text = object && (await new Response(object.body).text()).trim();
  return {
    ofDatabase: await identityOfDatabase(sql),
    ofStorage: text !== undefined && isUuid(text) ? text.toLowerCase() : undefined,
  };
}

async function identityOfDatabase(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`select id::text from waybill.storage_identity`;
  return row?.id;
}

async function writeIdentity({ storage, config }: IdentityContext, id: string): Promise<void> {
  const folder = join(config.dataDir, "uploads");
  await makePrivateFolder(folder);
  const path = join(folder, crypto.randomUUID());
  try {
    await writeFile(path, id, { mode: 0o600 });
    const sha256 = createHash("sha256").update(id).digest("hex");
    await storage.put(identityKey, { path, size: id.length, sha256, contentType: "text/plain" });
  } finally {
    await rm(path, { force: true });
  }
}

/** How many objects of each kind are compared. */
const sampleSize = 200;

/**
 * Whether the database knows one of the storage's first objects, or has no files itself and either the storage is empty
 * too or the database knows a tenant of these objects.
 */
async function belongTogether({ sql, storage }: IdentityContext): Promise<boolean> {
  const sample: FileRef[] = [];
  for (const folder of ["attachments/", "files/"]) {
    let looked = 0;
    for await (const { key } of storage.list(folder)) {
      const [, tenant, id = ""] = key.split("/");
      if (isUuid(id) && Number.isSafeInteger(Number(tenant))) sample.push({ tenantId: Number(tenant), id });
      if (++looked === sampleSize) break;
    }
  }
  const ids = sample.map(({ id }) => id);
  const tenants = JSON.stringify([...new Set(sample.map(({ tenantId }) => tenantId))]);
  const [row] = await sql<{ knowsFile: boolean; hasFiles: boolean; knowsTenant: boolean }[]>`
    select exists (select from waybill.attachments where id = any(${ids}::uuid[]))
             or exists (select from waybill.stored_files where id = any(${ids}::uuid[]))
             as "knowsFile",
           exists (select from waybill.attachments where state in ('draft', 'committed'))
             or exists (select from waybill.stored_files where state = 'stored')
             as "hasFiles",
           exists (
             select from waybill.tenants
             where id in (select json_array_elements_text(${tenants}::text::json)::bigint)
           ) as "knowsTenant"`;
  if (row?.knowsFile) return true;
  return row?.hasFiles === false && (sample.length === 0 || row.knowsTenant);
}
