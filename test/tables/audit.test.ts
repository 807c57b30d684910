import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { connect, type Sql } from "../../src/infrastructure/database/connect.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { startServer, type TestServer } from "../support/server.ts";
import {
  type Answer,
  type AuditRow,
  auditOf,
  freshName,
  makeTable,
  rowsPath,
  send,
  tablePath,
  tablesPath,
} from "../support/tables.ts";

let database: TestDatabase;
let impatient: Sql;
let server: TestServer;
beforeAll(async () => {
  database = await createDatabase();
  impatient = connect(database.url, { settings: { lock_timeout: "300ms" } });
  server = await startServer({ database, deps: { sql: impatient } });
});
afterAll(async () => {
  await server.stop();
  await impatient.end({ timeout: 5 });
  await database.drop();
});

const recordsOf = async (answer: Answer): Promise<AuditRow[]> => {
  const id = answer.headers.get("x-request-id");
  const rows = await server.sql<AuditRow[]>`
    select *, affected_rows::int from tenant_1._audit where request_id = ${id}`;
  return [...rows];
};
const count = async () => {
  const [row] = await server.sql`select count(*)::int as records from tenant_1._audit`;
  return row?.records;
};

test("each write has one record: who, when, what, the outcome and the number of rows", async () => {
  const name = freshName();
  const since = new Date();
  const path = rowsPath(name);
  const columns = [{ name: "a", type: "text" }];
  const answers = [
    await send(server, `POST ${tablesPath()}`, { body: { name, columns } }),
    await send(server, `POST ${path}`, { body: { rows: [{ a: "x" }, { a: "y" }] } }),
    await send(server, `PATCH ${path}`, { body: { where: { a: "x" }, set: { a: "it's" } } }),
    await send(server, `DELETE ${path}`, { body: { where: { a: null } } }),
    await send(server, `DELETE ${tablePath(name)}?confirm=true`),
  ];
  const table = `"tenant_1"."${name}"`;
  const records = await auditOf(server, name);
  expect(records.map(({ statement }) => statement)).toEqual([
    expect.stringContaining(`create table ${table} (`),
    `insert into ${table} ("a")`,
    `update ${table} set "a" = 'it''s' where "a" = 'x'`,
    `delete from ${table} where "a" is null`,
    expect.stringContaining(`alter table ${table} rename to "_dropped_`),
  ]);
  const actions = ["create_table", "insert", "update", "delete", "drop_table"];
  const affected = [null, 2, 1, 0, null];
  for (const [n, record] of records.entries()) {
    expect(record).toMatchObject({ actor: "alice", outcome: "success", error: null });
    expect(record).toMatchObject({ action: actions[n], affected_rows: affected[n] });
    expect(record.request_id).toBe(String(answers[n]?.headers.get("x-request-id")));
    expect(Math.abs(record.at.getTime() - since.getTime())).toBeLessThan(10_000);
  }
});

test("actor and tenant come from the token", async () => {
  const caller = { user: "Siti Rahma <siti@bank.example>", tenant: 7 };
  const table = await makeTable(server, { a: "text" }, { caller });
  await table.insert({ a: "x" });
  const records = await auditOf(server, table.name, 7);
  expect(records).toHaveLength(2);
  for (const record of records) expect(record).toMatchObject({ actor: caller.user });
  expect(await auditOf(server, table.name, 1)).toEqual([]);
});

test("each refused write has one failure record", async () => {
  const { name, path } = await makeTable(server, { a: "text" });
  const rows = { rows: [{ a: "x" }] };
  const text = { headers: { "content-type": "text/plain" }, body: "x" };
  const refused = [
    [await send(server, `POST ${tablesPath()}`, { body: { name: "No" } }), "create_table", 400],
    [
      await send(server, `POST ${tablesPath()}`, { body: { name, columns: [{ name: "a", type: "text" }] } }),
      "create_table",
      400,
    ],
    [await send(server, `POST ${tablesPath()}`, { body: "{" }), "create_table", 400],
    [await send(server, `DELETE ${tablePath(name)}`), "drop_table", 400],
    [await send(server, `DELETE ${tablePath(name)}?confirm=yes`), "drop_table", 400],
    [await send(server, `DELETE ${tablePath("nowhere")}?confirm=true`), "drop_table", 404],
    [await send(server, `POST ${path}`, { body: { rows: [{ b: 1 }] } }), "insert", 400],
    [await send(server, `POST ${path}`, { body: "[" }), "insert", 400],
    [await send(server, `POST ${path}`, text), "insert", 415],
    [await send(server, `POST ${path}`, { body: "x".repeat(32 * 1024 ** 2 + 1) }), "insert", 413],
    [await send(server, `POST ${rowsPath("nowhere")}`, { body: rows }), "insert", 404],
    [await send(server, `POST ${rowsPath("no%00where")}`, { body: rows }), "insert", 400],
    [await send(server, `PATCH ${path}`, { body: { where: {}, set: { a: "x" } } }), "update", 400],
    [
      await send(server, `PATCH ${rowsPath("nowhere")}`, { body: { where: { a: 1 }, set: { a: 1 } } }),
      "update",
      404,
    ],
    [await send(server, `DELETE ${path}`, { body: { where: { colour: 1 } } }), "delete", 400],
    [await send(server, `DELETE ${path}`), "delete", 415],
  ] as const;
  for (const [answer, action, status] of refused) {
    expect(answer.status).toBe(status);
    const records = await recordsOf(answer);
    expect(records).toMatchObject([{ action, outcome: "failure", actor: "alice", affected_rows: null }]);
    expect(records[0]?.error).toStartWith(`${answer.code}: `);
    expect(records[0]?.statement).not.toBe("");
  }
});

test("reads and callers who may not write leave no record", async () => {
  const { name, path } = await makeTable(server, { a: "text" });
  const before = await count();
  const authorization = `Bearer ${await server.token({ roles: ["member"] })}`;
  const body = { where: { a: "x" }, set: { a: "y" } };
  for (const headers of [{ authorization }, { authorization: "Bearer nobody" }])
    for (const request of [`POST ${tablesPath()}`, `PATCH ${path}`, `DELETE ${tablePath(name)}?confirm=true`])
      expect(await send(server, request, { body, headers })).toMatchObject({ status: 401 });
  const reads = [
    tablesPath(),
    tablePath(name),
    path,
    `${path}?colour=1`,
    rowsPath("nowhere"),
    `${path}?limit=0`,
  ];
  for (const read of reads) await send(server, `GET ${read}`);
  expect(await count()).toBe(before);
});

test("the trail refuses update, delete and truncate, even from the table's owner", async () => {
  await makeTable(server, { a: "text" });
  const before = await count();
  const owner = `owner_${randomBytes(6).toString("hex")}`;
  await server.sql.unsafe(`create role ${owner}; grant usage on schema tenant_1 to ${owner}`).simple();
  try {
    for (const statement of [
      "update tenant_1._audit set actor = 'nobody'",
      "delete from tenant_1._audit",
      "delete from tenant_1._audit where false",
      "truncate tenant_1._audit",
      "truncate tenant_1._audit cascade",
    ]) {
      const attempt = server.sql.begin(async (tx) => {
        await tx.unsafe(`alter table tenant_1._audit owner to ${owner}; set local role ${owner}`).simple();
        await tx.unsafe(statement);
      });
      expect(await attempt.catch((error) => error.code)).toBe("42501");
    }
  } finally {
    await server.sql.unsafe(`drop owned by ${owner}; drop role ${owner}`).simple();
  }
  expect(await count()).toBe(before);
});

test("a change and its record are written in one transaction", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "x" });
  const [made] = await server.sql.unsafe(
    `select (select xmin::text from tenant_1.${table.name}) as row, (select xmin::text from tenant_1._tables
       where table_name = '${table.name}') as entry`,
  );
  const xmins = await server.sql`
    select action, xmin::text from tenant_1._audit where table_name = ${table.name} order by id`;
  expect([...xmins]).toEqual([
    { action: "create_table", xmin: made?.entry },
    { action: "insert", xmin: made?.row },
  ]);
});

test("if the record cannot be written, the change is not made", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "kept" });
  await server.sql.begin(async (tx) => {
    await tx`lock table tenant_1._audit in exclusive mode`;
    const body = { where: { a: "kept" }, set: { a: "changed" }, rows: undefined };
    const answers = await Promise.all([
      send(server, `POST ${table.path}`, { body: { rows: [{ a: "new" }] } }),
      send(server, `PATCH ${table.path}`, { body }),
      send(server, `DELETE ${table.path}`, { body: { where: body.where } }),
      send(server, `DELETE ${tablePath(table.name)}?confirm=true`),
      send(server, `POST ${tablesPath()}`, {
        body: { name: "unrecorded", columns: [{ name: "a", type: "text" }] },
      }),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 503, code: "busy" });
  });
  expect(await table.values()).toEqual([{ a: "kept" }]);
  expect(await send(server, `GET ${tablePath("unrecorded")}`)).toMatchObject({ status: 404 });
});

test("a write whose backend is killed answers 503, changes nothing and is recorded as a failure", async () => {
  const patient = await startServer({ database, secret: "one secret that both of the servers share" });
  const table = await makeTable(patient, { a: "text" });
  await table.insert({ a: "kept" });
  const where = { a: "kept" };
  const answers = await server.sql.begin(async (tx) => {
    await tx.unsafe(`lock table tenant_1.${table.name} in share mode`);
    const writes = [
      send(patient, `POST ${table.path}`, { body: { rows: [{ a: "new" }] } }),
      send(patient, `PATCH ${table.path}`, { body: { where, set: { a: "changed" } } }),
      send(patient, `DELETE ${table.path}`, { body: { where } }),
      send(patient, `DELETE ${tablePath(table.name)}?confirm=true`),
    ];
    await killBlocked(writes.length);
    return Promise.all(writes);
  });
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, code: "database_unavailable" });
    expect(await recordsOf(answer)).toMatchObject([{ outcome: "failure", table_name: table.name }]);
  }
  expect(await table.values()).toEqual([{ a: "kept" }]);
  await patient.stop();
});

async function killBlocked(backends: number): Promise<void> {
  for (let killed = 0; killed < backends; await Bun.sleep(20)) {
    const rows = await impatient`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    killed += rows.length;
  }
}

test("while backends are killed at random, every row has a success record and every success record a row", async () => {
  const table = await makeTable(server, { n: "integer" });
  const answers = new Map<number, Answer>();
  let running = true;
  const killer = (async () => {
    while (running) {
      await server.sql`
        select pg_terminate_backend(pid) from (select pid from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
            and query like '%_audit%' order by random() limit 2) victims`;
      await Bun.sleep(15);
    }
  })();
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    for (let n = writer; n < 360; n += 6)
      answers.set(n, await send(server, `POST ${table.path}`, { body: { rows: [{ n }] } }));
  });
  await Promise.all(writers);
  running = false;
  await killer;
  const present = new Set((await table.rows()).map(({ n }) => n));
  const records = new Map((await auditOf(server, table.name)).map((record) => [record.request_id, record]));
  for (const [n, answer] of answers) {
    const record = records.get(String(answer.headers.get("x-request-id")));
    expect([201, 503]).toContain(answer.status);
    expect(record?.outcome === "success").toBe(present.has(n));
    if (answer.status === 201) expect(record?.outcome).toBe("success");
  }
  expect([...answers.values()].some(({ status }) => status === 503)).toBe(true);
});
