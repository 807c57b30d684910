/** A database of the version before gets its tenants' records, while that version goes on writing. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Queryable, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { migrate } from "../../../src/infrastructure/database/migrate.ts";
import { createDatabase, type TestDatabase } from "../../support/database.ts";
import { repository } from "../../support/waybillProcess.ts";
import { silent } from "./serverProcess.ts";

setDefaultTimeout(60_000);
const migrations = join(repository, "src/infrastructure/database/migrations");
let before: string;
let database: TestDatabase;
let sql: Sql;

/** The migrations before the first that knows records. */
beforeAll(async () => {
  before = await mkdtemp(join(tmpdir(), "waybill-before-"));
  const names = (await readdir(migrations)).filter((name) => name < "0018");
  await Promise.all(names.map((name) => cp(join(migrations, name), join(before, name))));
});
afterAll(async () => {
  await sql?.end({ timeout: 5 });
  await database?.drop();
  await rm(before, { recursive: true, force: true });
});

beforeEach(async () => {
  await sql?.end({ timeout: 5 });
  await database?.drop();
  database = await createDatabase();
  await migrate(database.url, { log: silent, folder: before });
  sql = connect(database.url, { max: 4 });
});

const upgrade = () => migrate(database.url, { log: silent });

/** What the version before does when it provisions a tenant. */
async function provision(on: Queryable, tenant: number): Promise<void> {
  await on`insert into waybill.tenants (id, slug) values (${tenant}, ${`tenant-${tenant}`})`;
  await on`create schema if not exists ${on(`tenant_${tenant}`)}`;
}

/** What the version before writes in the transaction of a change. */
const record = (on: Queryable, tenant: number, actor: string) => on`
  insert into waybill.audit_log (tenant_id, actor, action, statement, outcome, request_id)
  values (${tenant}, ${actor}, 'insert', 'x', 'success', gen_random_uuid())`;

const register = (on: Queryable, tenant: number, name: string) => on`
  insert into waybill.tenant_tables (tenant_id, table_name, description, columns)
  values (${tenant}, ${name}, 'its text', '[]')`;

async function actors(tenant: number): Promise<string[]> {
  const rows = await sql`select actor from ${sql(`tenant_${tenant}`)}._audit order by id`;
  return rows.map(({ actor }) => actor);
}

async function tables(tenant: number): Promise<string[]> {
  const rows = await sql`select table_name from ${sql(`tenant_${tenant}`)}._tables order by id`;
  return rows.map(({ table_name }) => table_name);
}

test("every tenant gets its own entries and records, unchanged and in their order", async () => {
  for (const tenant of [1, 2, 3]) await provision(sql, tenant);
  for (const n of [1, 2, 3, 4]) await record(sql, 1 + (n % 2), `actor ${n}`);
  await register(sql, 1, "loans");
  await register(sql, 2, "loans");
  const kept = await sql`select * from waybill.audit_log where tenant_id = 1 order by id`;
  const entry = await sql`select * from waybill.tenant_tables where tenant_id = 1`;
  await upgrade();
  expect(await actors(1)).toEqual(["actor 2", "actor 4"]);
  expect(await actors(2)).toEqual(["actor 1", "actor 3"]);
  expect(await actors(3)).toEqual([]);
  const withoutTenant = ({ tenant_id: _, ...rest }: Record<string, unknown>) => rest;
  expect([...(await sql`select * from tenant_1._audit order by id`)]).toEqual(kept.map(withoutTenant));
  expect([...(await sql`select * from tenant_1._tables`)]).toEqual([
    { ...withoutTenant(entry[0] ?? {}), indexes: [], version: 1 },
  ]);
  await upgrade();
  expect(await actors(1)).toEqual(["actor 2", "actor 4"]);
});

test("transactions that the version before has open during the migration lose nothing", async () => {
  for (const tenant of [1, 2]) await provision(sql, tenant);
  await record(sql, 1, "first");
  await register(sql, 1, "kept");
  await register(sql, 1, "dropped");
  let running: Promise<void> | undefined;
  await sql.begin(async (tx) => {
    await record(tx, 1, "open");
    await tx`select pg_advisory_xact_lock(hashtextextended('waybill.tenant_tables', 1))`;
    await tx`delete from waybill.tenant_tables where table_name = 'dropped'`;
    await register(tx, 1, "created");
    running = upgrade();
    await Bun.sleep(2_000);
  });
  await running;
  await record(sql, 1, "after");
  expect(await actors(1)).toEqual(["first", "open", "after"]);
  expect(await tables(1)).toEqual(["kept", "created"]);
});

test("while many write as the version before, each record arrives once", async () => {
  for (const tenant of [1, 2, 3]) await provision(sql, tenant);
  let migrating = true;
  const written: string[] = [];
  const write = async (writer: number) => {
    for (let n = 0; migrating || n < 20; n++) {
      const actor = `${writer}-${n}`;
      await record(sql, 1 + (n % 3), actor);
      written.push(actor);
    }
  };
  const writers = [1, 2, 3].map(write);
  await Bun.sleep(100);
  await upgrade();
  migrating = false;
  await Promise.all(writers);
  const found = (await Promise.all([1, 2, 3].map(actors))).flat();
  expect(found.toSorted()).toEqual(written.toSorted());
});

test("a tenant that the version before provisions has its records at once", async () => {
  await upgrade();
  await provision(sql, 9);
  await record(sql, 9, "early");
  expect(await actors(9)).toEqual(["early"]);
});

test("a migration that ended between two tenants, or before the copying, is completed by the next", async () => {
  for (const tenant of [1, 2]) await provision(sql, tenant);
  for (const tenant of [1, 2]) await record(sql, tenant, "kept");
  // Nobody can make the records of tenant 2, or copy those of tenant 1.
  await sql.unsafe("create table tenant_2._audit (); create table tenant_1._audit_by_time ()").simple();
  expect(await upgrade().catch((error) => error.message)).toContain("records of tenant 1 failed");
  await sql`drop table tenant_1._audit_by_time`;
  expect(await upgrade().catch((error) => error.message)).toContain("records of tenant 2 failed");
  expect(await actors(1)).toEqual([]);
  await sql`drop table tenant_2._audit`;
  await record(sql, 1, "later");
  await upgrade();
  expect(await actors(1)).toEqual(["kept", "later"]);
  expect(await actors(2)).toEqual(["kept"]);
});

test("each tenant has a transaction of its own, so that thousands do not need too many locks", async () => {
  await sql`insert into waybill.tenants (id, slug) select n, 'tenant-' || n from generate_series(1, 20) n`;
  await upgrade();
  const [row] = await sql`
    select count(distinct xmin::text)::int as transactions from pg_class where relname = '_audit'`;
  expect(row).toEqual({ transactions: 20 });
});
