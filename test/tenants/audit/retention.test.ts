/** Old audit records go, in whole ranges of checkpoints, and the trail can still be verified. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { prepareServiceRole } from "../../../src/infrastructure/database/serviceRole.ts";
import { addCheckpoints } from "../../../src/tenants/auditTrail/checkpoints.ts";
import { exportTrail, verifyLines } from "../../../src/tenants/auditTrail/export.ts";
import { purgeAuditRecords } from "../../../src/tenants/auditTrail/retention.ts";
import { verifyTrail } from "../../../src/tenants/auditTrail/verify.ts";
import { createMigratedDatabase, type TestDatabase } from "../../support/database.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable } from "../../support/tables.ts";

setDefaultTimeout(60_000);
const tenants = [1, 2, 3, 4, 5];
let database: TestDatabase;
let server: TestServer;
/** The service's role, which owns neither the trail nor its checkpoints. */
let service: Sql;
beforeAll(async () => {
  database = await createMigratedDatabase();
  server = await startServer({ database, workers: false });
  for (const tenant of tenants) {
    await makeTable(server, { a: "text" }, { caller: { tenant } });
    await server.sql.unsafe(`update tenant_${tenant}._audit set at = now() - interval '500 days'`);
  }
  service = connect(await prepareServiceRole(database.url), { max: 2 });
  for (const tenant of tenants) await fill(tenant);
});
afterAll(async () => {
  await service.end({ timeout: 5 });
  await server.stop();
  await database.drop();
});

/** Adds a record for each age, and then a checkpoint. */
async function add(tenant: number, ...ages: number[]): Promise<void> {
  for (const age of ages)
    await service.unsafe(
      `insert into tenant_${tenant}._audit (at, actor, action, statement, outcome, request_id)
       values (now() - interval '${age} days', 'alice', 'insert', 's', 'success', gen_random_uuid())`,
    );
  await addCheckpoints({ sql: service, log: server.deps.log });
}

/** Each line is a checkpoint. A first one has the record of the table, which is 500 days old. */
async function fill(tenant: number): Promise<void> {
  await add(tenant, 401, 400);
  await add(tenant, 100, 35, 99);
  await add(tenant, 1, 200);
  await add(tenant, 2);
}

const purge = (days: number) => purgeAuditRecords({ sql: service, log: server.deps.log }, days);

async function ages(tenant: number): Promise<number[]> {
  const rows = await server.sql.unsafe(
    `select extract(day from now() - at)::int as age from tenant_${tenant}._audit
     where action <> 'purge_audit' order by id`,
  );
  return rows.map(({ age }) => age);
}

async function faults(tenant: number) {
  const found: unknown[] = [];
  for await (const verdict of verifyTrail(server.sql, `tenant_${tenant}`)) found.push(...verdict.faults);
  for await (const verdict of verifyLines(exportTrail(server.sql, `tenant_${tenant}`)))
    found.push(...verdict.faults);
  return found;
}

test("records go only with their whole checkpoint, the chain verifies, and the removal is recorded", async () => {
  expect(await ages(1)).toEqual([500, 401, 400, 100, 35, 99, 1, 200, 2]);
  expect(await purge(90)).toBe(15);
  expect(await ages(1)).toEqual([100, 35, 99, 1, 200, 2]);
  expect(await faults(1)).toEqual([]);
  expect(await purge(30)).toBe(15);
  expect(await ages(1)).toEqual([1, 200, 2]);
  expect(await purge(30)).toBe(0);
  await add(1, 0);
  expect(await faults(1)).toEqual([]);
  const removals = await server.sql`
    select actor, statement, affected_rows::int, outcome from tenant_1._audit where action = 'purge_audit'`;
  expect([...removals]).toEqual([
    {
      actor: "waybill",
      statement: "purge audit records up to 3, which are older than 90 days",
      affected_rows: 3,
      outcome: "success",
    },
    {
      actor: "waybill",
      statement: "purge audit records up to 6, which are older than 30 days",
      affected_rows: 3,
      outcome: "success",
    },
  ]);
});

test("the service cannot remove young records, nor with a checkpoint that it has invented", async () => {
  const attempt = (text: string) =>
    service.unsafe(text).then(
      () => "done",
      (error) => error.code,
    );
  for (const days of ["29", "0", "-1", "null"])
    expect(await attempt(`select waybill.purge_audit_records(2, ${days})`)).toBe("42501");
  await service`
    insert into tenant_2._checkpoints
      (number, at, after_id, last_id, records, newest_at, content, digest, entries)
    values (99, now(), 6, 1000, 1, now() - interval '900 days', sha256('x'), sha256('x'), '')`;
  await server.sql`delete from tenant_2._checkpoints where last_id > 6 and number < 99`;
  expect(await attempt("select waybill.purge_audit_records(2, 30)")).toBe("42501");
  // It stops nobody else's retention, and the log says so.
  await purge(30);
  expect(server.logged.find(({ msg }) => msg === "Old audit records not removed")).toMatchObject({
    tenant_id: "2",
    level: "error",
  });
  expect((await ages(2)).slice(-3)).toEqual([1, 200, 2]);
  for (const statement of [
    "delete from tenant_2._audit",
    "update tenant_2._checkpoints set digest = sha256('x')",
    "delete from tenant_2._checkpoints",
    "truncate tenant_2._checkpoints",
    "drop table tenant_2._checkpoints",
    "create or replace function waybill.purge_audit_records(bigint, integer) returns bigint language sql as 'select 1'",
  ])
    expect([statement, await attempt(statement)]).toEqual([statement, "42501"]);
});

test("after a removal the owner has no right to change the trail", async () => {
  await purge(30);
  const [row] = await server.sql`
    select array_to_string(relacl, ' ') as trail,
           (select array_to_string(relacl, ' ') from pg_class where oid = 'tenant_3._checkpoints'::regclass) as chain
    from pg_class where oid = 'tenant_3._audit'::regclass`;
  for (const rights of [row?.trail, row?.chain]) expect(rights).not.toMatch(/=\w*[wdD]\w*\//);
});

test("a removal in the middle of the trail is no retention", async () => {
  const [removed] = await server.sql`
    update tenant_4._checkpoints set purged_at = now(), entries = null where last_id = 8 returning number`;
  await server.sql`delete from tenant_4._audit where id in (7, 8)`;
  expect(await faults(4)).toContainEqual({ kind: "checkpoint_changed", id: removed?.number });
});

test("a record that is slipped in where records were removed is named", async () => {
  await purge(30);
  await server.sql`
    insert into tenant_5._audit (id, actor, action, statement, outcome, request_id) overriding system value
    values (2, 'alice', 'insert', 's', 'success', gen_random_uuid())`;
  expect(await faults(5)).toEqual([
    { kind: "record_added", id: "2" },
    { kind: "record_added", id: "2" },
  ]);
});
