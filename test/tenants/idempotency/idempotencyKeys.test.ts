/** Requests with an `Idempotency-Key`: the change happens once, and every repetition gets its answer. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { purgeExpiredKeys } from "../../../src/tenants/idempotency/purge.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { deploy, freshKey, tasksOf } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import {
  type Answer,
  auditOf,
  freshName,
  makeTable,
  send,
  tablePath,
  tablesPath,
} from "../../support/tables.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(60_000);

let server: TestServer;
/** Another process on the same database. */
let second: TestServer;
beforeAll(async () => {
  server = await startServer({ secret: "a secret that two servers share, and nobody else" });
  const { database } = server;
  second = await startServer({ database, secret: "a secret that two servers share, and nobody else" });
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

const newKey = () => crypto.randomUUID();
const keyed = (key: string, more: Record<string, string> = {}) => ({ "Idempotency-Key": key, ...more });

/** What a client sees, but for the request's own id. */
const seen = ({ status, body }: Answer) => ({ status, body });
const isReplayed = ({ headers }: Answer) => headers.get("idempotency-replayed");

test("a repeated insert gets the same answer, and nothing happens", async () => {
  const table = await makeTable(server, { a: "text" });
  const headers = keyed(newKey(), { Prefer: "return=representation" });
  const body = { rows: [{ a: "x" }, { a: "y" }] };
  const first = await send(server, `POST ${table.path}`, { body, headers });
  expect(first.status).toBe(201);
  expect(isReplayed(first)).toBeNull();
  const again = await send(second, `POST ${table.path}`, { body, headers });
  expect(seen(again)).toEqual(seen(first));
  expect(isReplayed(again)).toBe("true");
  expect(again.headers.get("preference-applied")).toBe("return=representation");
  expect(await table.values()).toEqual([{ a: "x" }, { a: "y" }]);
  expect((await auditOf(server, table.name)).filter(({ action }) => action === "insert")).toHaveLength(1);
});

test("every write of tables and rows is made once, also through the SDK", async () => {
  const api = await server.tables();
  const table = freshName();
  const newTable = { name: table, columns: [{ name: "n", type: "integer" as const }] };
  const twice = async <T>(
    call: (request: { tenantId: number; table: string; idempotencyKey: string }) => Promise<T>,
  ) => {
    const request = { tenantId: 1, table, idempotencyKey: newKey() };
    const first = await call(request);
    expect(await call(request)).toEqual(first);
  };
  await twice((request) => api.createTable({ ...request, newTable }));
  await twice((request) => api.insertRows({ ...request, newRows: { rows: [{ n: 1 }, { n: 2 }] } }));
  await twice((request) => api.updateRows({ ...request, rowUpdate: { where: { n: 1 }, set: { n: 3 } } }));
  await twice((request) => api.deleteRows({ ...request, rowDeletion: { where: { n: 2 } } }));
  const { data } = await api.listRows({ tenantId: 1, table });
  expect(data.rows.map(({ n }) => n)).toEqual([3]);
  await twice((request) => api.dropTable({ ...request, confirm: true }));
  const actions = (await auditOf(server, table)).map(({ action, outcome }) => `${action} ${outcome}`);
  expect(actions).toEqual(
    ["create_table", "insert", "update", "delete", "drop_table"].map((each) => `${each} success`),
  );
});

test("another body, path or method with the key answers 422, and nothing changes", async () => {
  const [table, other] = [await makeTable(server, { a: "text" }), await makeTable(server, { a: "text" })];
  const headers = keyed(newKey());
  const body = { rows: [{ a: "x" }] };
  await send(server, `POST ${table.path}`, { body, headers });
  const refused = { status: 422, code: "idempotency_key_reused" };
  expect(await send(server, `POST ${table.path}`, { body: { rows: [{ a: "y" }] }, headers })).toMatchObject(
    refused,
  );
  expect(await send(server, `POST ${other.path}`, { body, headers })).toMatchObject(refused);
  expect(await send(server, `DELETE ${tablePath(table.name)}?confirm=true`, { headers })).toMatchObject(
    refused,
  );
  expect(await table.values()).toEqual([{ a: "x" }]);
  expect(await other.values()).toEqual([]);
});

test("the same key of another user is another key", async () => {
  const table = await makeTable(server, { a: "text" });
  const key = newKey();
  const body = { rows: [{ a: "x" }] };
  for (const user of ["alice", "bob"]) {
    const headers = keyed(key, { Authorization: `Bearer ${await server.token({ user })}` });
    const answer = await send(server, `POST ${table.path}`, { body, headers });
    expect(isReplayed(answer)).toBeNull();
  }
  expect(await table.values()).toHaveLength(2);
});

test("a refused request is not kept, so it can be corrected", async () => {
  const table = await makeTable(server, { a: "text not null" });
  const headers = keyed(newKey());
  const refused = await send(server, `POST ${table.path}`, { body: { rows: [{ a: null }] }, headers });
  expect(refused.status).toBe(400);
  const corrected = await send(server, `POST ${table.path}`, { body: { rows: [{ a: "x" }] }, headers });
  expect(corrected.status).toBe(201);
  expect(isReplayed(corrected)).toBeNull();
});

test("while the first request is under way, the second one is refused at once", async () => {
  const table = await makeTable(server, { a: "text" });
  await table.insert({ a: "x" });
  const headers = keyed(newKey());
  const body = { where: { a: "x" }, set: { a: "y" } };
  let answer: Promise<Answer> | undefined;
  await server.sql.begin(async (tx) => {
    await tx.unsafe(`select from tenant_1."${table.name}" for update`);
    answer = send(server, `PATCH ${table.path}`, { body, headers });
    await until(async () => {
      const [row] = await server.sql`
        select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      return row?.n > 0;
    });
    const began = performance.now();
    const other = await send(second, `PATCH ${table.path}`, { body, headers });
    expect(other).toMatchObject({ status: 409, code: "idempotency_key_in_use" });
    expect(other.headers.get("retry-after")).toBe("1");
    expect(performance.now() - began).toBeLessThan(1_500);
  });
  expect(await answer).toMatchObject({ status: 200, body: { data: { affected_rows: 1 } } });
});

test("100 keys, each sent to two processes at once: each change is made once", async () => {
  const table = await makeTable(server, { n: "integer" });
  const race = async (n: number) => {
    const headers = keyed(newKey());
    const body = { rows: [{ n }] };
    const answers = await Promise.all(
      [server, second, server, second].map((each) => send(each, `POST ${table.path}`, { body, headers })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers) expect([201, 409]).toContain(answer.status);
    expect(seen(await send(second, `POST ${table.path}`, { body, headers }))).toEqual(
      seen(made[0] as Answer),
    );
  };
  for (let n = 0; n < 100; n += 5) await Promise.all([0, 1, 2, 3, 4].map((more) => race(n + more)));
  const values = (await table.values()).map(({ n }) => Number(n));
  expect(values.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
});

test("a process is started once, and its task completed once", async () => {
  const key = freshKey();
  await deploy(
    server,
    model(key, [start(), userTask("review"), end(), flow("start", "review", "end")].join("\n")),
  );
  const tenant = { xActiveTenant: "tenant-1" };
  const processes = [await server.processes(), await second.processes()];
  const begin = {
    ...tenant,
    idempotencyKey: newKey(),
    newProcessInstance: { process_key: key, variables: {} },
  };
  const started = [];
  for (const api of processes) started.push(await api.startProcessInstance(begin));
  expect(started[1]).toEqual(started[0]);
  const [row] =
    await server.sql`select count(*)::int as n from waybill.process_instances where process_key = ${key}`;
  expect(row?.n).toBe(1);

  const [task] = await tasksOf(server, started[0]?.process_instance_id ?? "");
  const completion = { variables: { approved: { value: true } } };
  const finish = {
    ...tenant,
    taskId: task?.task_id ?? "",
    taskCompletion: completion,
    idempotencyKey: newKey(),
  };
  for (const each of [server, second]) await (await each.tasklist()).completeTask(finish);
  const without = { headers: { "x-active-tenant": "tenant-1" }, body: completion };
  const path = `POST /api/v1/tasklist/tasks/${task?.task_id}/complete`;
  expect(await send(server, path, without)).toMatchObject({ status: 409, code: "task_completed" });
});

test("an answer is kept for a day, and then removed", async () => {
  const table = await makeTable(server, { a: "text" });
  const headers = keyed(newKey());
  const body = { rows: [{ a: "x" }] };
  const insert = () => send(server, `POST ${table.path}`, { body, headers });
  const age = (hours: number) => server.sql`
    update tenant_1._idempotency_keys
       set created_at = now() - make_interval(hours => ${hours}) where key = ${headers["Idempotency-Key"] ?? ""}`;
  const stored = async () => {
    const [row] = await server.sql`
      select count(*)::int as n from tenant_1._idempotency_keys where key = ${headers["Idempotency-Key"] ?? ""}`;
    return row?.n;
  };
  await insert();
  await age(23);
  await purgeExpiredKeys(server.sql);
  expect(isReplayed(await insert())).toBe("true");
  await age(25);
  expect(isReplayed(await insert())).toBeNull();
  expect(await table.values()).toHaveLength(2);
  await age(25);
  await purgeExpiredKeys(server.sql);
  expect(await stored()).toBe(0);
});

test("rows beyond 1 MiB are left out of an answer that is kept", async () => {
  const table = await makeTable(server, { a: "text" });
  const headers = keyed(newKey(), { Prefer: "return=representation" });
  const body = { rows: [{ a: "x".repeat(700_000) }, { a: "y".repeat(700_000) }] };
  const first = await send(server, `POST ${table.path}`, { body, headers });
  expect(first.body.data).toEqual({ affected_rows: 2, ids: ["1", "2"] });
  expect(seen(await send(server, `POST ${table.path}`, { body, headers }))).toEqual(seen(first));
});

test("a key is a text of up to 255 visible ASCII characters", async () => {
  const table = await makeTable(server, { a: "text" });
  const body = { rows: [{ a: "x" }] };
  for (const key of ["", "a b", "x".repeat(256), "\u00e9"]) {
    const answer = await send(server, `POST ${table.path}`, { body, headers: keyed(key) });
    expect(answer).toMatchObject({ status: 400, code: "invalid_parameter" });
    expect(answer.pointers).toContain("/header/idempotency-key");
  }
  const longest = keyed(`"${"x".repeat(253)}"`);
  expect((await send(server, `POST ${table.path}`, { body, headers: longest })).status).toBe(201);
  expect(await table.values()).toHaveLength(1);
});

test("without a key nothing is kept", async () => {
  const count = async () =>
    (await server.sql`select count(*)::int as n from tenant_1._idempotency_keys`)[0]?.n;
  const before = await count();
  const body = { name: freshName(), columns: [{ name: "a", type: "text" }] };
  await send(server, `POST ${tablesPath()}`, { body });
  expect(await count()).toBe(before);
});
