/**
 * A database and a storage that belong together carry one identity: a row there, the object `waybill/identity` here. A
 * server with the wrong one of the two would lose files, and a repair would remove all of them.
 */
import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { uuids } from "../../infrastructure/database/arrays.ts";
import type { Sql } from "../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { makePrivateFolder } from "../../infrastructure/privateFolder.ts";
import { isUuid } from "../../infrastructure/uuid.ts";

type Within = Pick<Infrastructure, "sql" | "storage" | "config">;

const identityKey = "waybill/identity";

/** The database and the storage do not belong together, or it cannot be known. The message is one line. */
export class StorageMismatch extends Error {
  override readonly name = "StorageMismatch";
}

/**
 * At the start of a server. Where one side has no identity yet, it gets one if both are empty, or if the storage has
 * files that the database knows, as after an upgrade. Throws `StorageMismatch`, and `storage_unavailable`.
 */
export async function agreeOnIdentity(within: Within): Promise<void> {
  const { ofDatabase, ofStorage } = await readIdentities(within);
  if (ofDatabase !== undefined && ofStorage !== undefined) return compare(ofDatabase, ofStorage);
  if (!(await belongTogether(within)))
    throw new StorageMismatch(
      "The storage holds no files of this database, although one of them has files: check DATABASE_URL and DATA_DIR or S3_BUCKET. Where they are meant to go together, run: bun run reconcile --adopt",
    );
  await adoptIdentity(within);
}

/** Before a reconcile. Throws `StorageMismatch` where they are not known to belong together. */
export async function requireIdentity(within: Within): Promise<void> {
  const { ofDatabase, ofStorage } = await readIdentities(within);
  if (ofDatabase === undefined || ofStorage === undefined)
    throw new StorageMismatch(
      "The database and the storage are not known to belong together: start the server once, or run: bun run reconcile --adopt",
    );
  compare(ofDatabase, ofStorage);
}

/** Gives both the identity that one of them has, or a new one; where they differ, the database's. */
export async function adoptIdentity(within: Within): Promise<void> {
  const { ofStorage } = await readIdentities(within);
  const wanted = ofStorage ?? crypto.randomUUID();
  await within.sql`insert into waybill.storage_identity (id) values (${wanted}) on conflict do nothing`;
  // Another process may have been first.
  const id = (await identityOfDatabase(within.sql)) ?? wanted;
  if (id !== ofStorage) await writeIdentity(within, id);
}

function compare(ofDatabase: string, ofStorage: string): void {
  if (ofDatabase === ofStorage) return;
  throw new StorageMismatch(
    `The storage belongs to another database (it is ${ofStorage}, the database's is ${ofDatabase}): check DATABASE_URL and DATA_DIR or S3_BUCKET`,
  );
}

async function readIdentities({ sql, storage }: Within) {
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

async function writeIdentity({ storage, config }: Within, id: string): Promise<void> {
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

/** Objects of each kind that are looked at. */
const sampleSize = 200;

/** Both are empty, or the database knows some of the first objects, or at least, where it has no files, their tenants. */
async function belongTogether({ sql, storage }: Within): Promise<boolean> {
  const sample: { tenantId: number; id: string }[] = [];
  for (const folder of ["attachments/", "files/"]) {
    let looked = 0;
    for await (const { key } of storage.list(folder)) {
      const [, tenant, id = ""] = key.split("/");
      if (isUuid(id) && Number.isSafeInteger(Number(tenant))) sample.push({ tenantId: Number(tenant), id });
      if (++looked === sampleSize) break;
    }
  }
  const ids = uuids(
    sql,
    sample.map(({ id }) => id),
  );
  const tenants = JSON.stringify([...new Set(sample.map(({ tenantId }) => tenantId))]);
  const [row] = await sql<{ knows: boolean; has: boolean; tenants: boolean }[]>`
    select exists (select from waybill.attachments where id = any(${ids}))
             or exists (select from waybill.stored_files where id = any(${ids})) as knows,
           exists (select from waybill.attachments where state in ('draft', 'committed'))
             or exists (select from waybill.stored_files where state = 'stored') as has,
           exists (select from waybill.tenants
                   where id in (select json_array_elements_text(${tenants}::text::json)::bigint)) as tenants`;
  if (row?.knows) return true;
  return row?.has === false && (sample.length === 0 || row.tenants);
}
