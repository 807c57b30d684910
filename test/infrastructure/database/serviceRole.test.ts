/** With an embedded PostgreSQL, the service is an ordinary role that cannot change the audit trail. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { prepareServiceRole } from "../../../src/infrastructure/database/serviceRole.ts";
import { end, flow, model, start } from "../../support/bpmn.ts";
import { createDatabase, type TestDatabase } from "../../support/database.ts";
import { deploy, freshKey, reaches, startInstance } from "../../support/processes.ts";
import { startServer } from "../../support/server.ts";
import { makeTable } from "../../support/tables.ts";
import { inFolder } from "../../support/waybillProcess.ts";

setDefaultTimeout(60_000);
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

/** Does what every server does: a table and its rows, a tenant's schema, a process. */
async function use(over: TestDatabase, tenant: number): Promise<string> {
  const server = await startServer({ database: over });
  const caller = { tenant };
  const table = await makeTable(server, { n: "integer" }, { caller });
  await table.insert({ n: 1 });
  const by = { user: "alice", tenant, roles: ["admin_sop"] };
  const key = freshKey();
  await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")), { by });
  const { process_instance_id } = await startInstance(server, key, { by });
  await reaches(server, process_instance_id, "completed", { by });
  await server.stop();
  return table.name;
}

test("a database that the superuser has used is taken over, and back, and over again", async () => {
  const first = await use(database, 1);
  for (const tenant of [2, 3]) {
    const service = { url: await prepareServiceRole(database.url), drop: async () => {} };
    const server = await startServer({ database: service });
    const api = await server.tables();
    // The service may write and drop what the superuser has created.
    const name = tenant === 2 ? first : await use(database, 4);
    const target = tenant === 2 ? { tenantId: 1, table: name } : undefined;
    if (target) {
      await api.insertRows({ ...target, newRows: { rows: [{ n: 2 }] } });
      await api.dropTable({ ...target, confirm: true });
    }
    await server.stop();
    await use(service, tenant);
    await use(database, tenant);
  }
});

test("the service can neither change the audit trail nor remove its protection", async () => {
  await use(database, 1);
  const sql = postgres(await prepareServiceRole(database.url), { max: 1, onnotice: () => {} });
  const [role] = await sql`select rolsuper, rolcreaterole from pg_roles where rolname = current_user`;
  expect(role).toEqual({ rolsuper: false, rolcreaterole: false });
  const [row] = await sql`select count(*)::int as count from tenant_1._audit`;
  expect(row?.count).toBeGreaterThan(0);
  for (const statement of [
    ...["tenant_1._audit", "waybill.audit_log"].flatMap((trail) => [
      `update ${trail} set actor = 'nobody'`,
      `delete from ${trail}`,
      `truncate ${trail}`,
      `alter table ${trail} disable trigger all`,
      `alter table ${trail} rename to other`,
      `create index on ${trail} (actor)`,
      `create trigger t before insert on ${trail} for each row execute function suppress_redundant_updates_trigger()`,
      `drop table ${trail} cascade`,
      `grant update on ${trail} to waybill_service`,
    ]),
    "drop trigger audit_log_is_append_only on waybill.audit_log",
    "create or replace function waybill.refuse_change() returns trigger language plpgsql as 'begin return null; end'",
    "create or replace function waybill.create_tenant_records(bigint) returns void language sql as 'select'",
    "drop schema waybill cascade",
    "drop schema tenant_1 cascade",
    "alter schema tenant_1 rename to other",
    "set role waybill",
    "set session_replication_role = replica",
    "copy waybill.tenants to program 'true'",
    "delete from waybill.migrations",
  ]) {
    const outcome = await sql.unsafe(statement).then(
      () => "done",
      (error) => error.code,
    );
    // insufficient_privilege; a grant that grants nothing is only a warning; an unknown role on another cluster.
    if (statement.startsWith("grant")) continue;
    expect([statement, ["42501", "22023"].includes(outcome) ? "refused" : outcome]).toEqual([
      statement,
      "refused",
    ]);
  }
  const [after] = await sql`
    select count(*)::int as count, has_table_privilege('tenant_1._audit', 'update') as updates
    from tenant_1._audit`;
  expect(after).toEqual({ count: row?.count, updates: false });
  await sql.end({ timeout: 5 });
});

test("a server with an embedded database connects as that role", () =>
  inFolder(async (folder, begin) => {
    await begin().listening;
    const cluster = join(folder, ".data", "postgres");
    const [password, pid] = await Promise.all(
      ["waybill.password", "postmaster.pid"].map((name) => readFile(join(cluster, name), "utf8")),
    );
    const port = Number(pid?.split("\n")[3]);
    const sql = postgres({
      host: "127.0.0.1",
      port,
      user: "waybill",
      password: password?.trim() ?? "",
      database: "postgres",
    });
    const users = await sql`
      select distinct usename from pg_stat_activity where application_name like 'waybill%'`;
    expect(users.map(({ usename }) => usename)).toEqual(["waybill_service"]);
    await sql.end({ timeout: 5 });
  }));
