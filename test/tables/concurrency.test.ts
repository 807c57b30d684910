import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { startServer, type TestServer } from "../support/server.ts";
import {
  type Answer,
  type Columns,
  definitions,
  freshName,
  makeTable,
  rowsPath,
  send,
  tablePath,
  tablesPath,
} from "../support/tables.ts";

/** Two servers on one database. */
let database: TestDatabase;
setDefaultTimeout(30_000);

let servers: readonly [TestServer, TestServer];
beforeAll(async () => {
  database = await createDatabase();
  const options = { database, secret: "shared by both servers, 32 chars+" };
  servers = [await startServer(options), await startServer(options)];
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await database.drop();
});

const server = (n: number) => servers[n % 2] as TestServer;
const create = (n: number, name: string, columns: Columns) =>
  send(server(n), `POST ${tablesPath()}`, { body: { name, columns: definitions(columns) } });
const drop = (n: number, name: string) => send(server(n), `DELETE ${tablePath(name)}?confirm=true`);

const tally = (answers: readonly Answer[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Whether the registry lists a table and whether PostgreSQL has it. */
async function existence(name: string) {
  const [row] = await servers[0].sql`
    select exists (select from tenant_1._tables where table_name = ${name}) as listed,
           to_regclass(${`tenant_1."${name}"`}) is not null as made`;
  return row as unknown as { listed: boolean; made: boolean };
}

test("a tenant that 24 simultaneous requests name is provisioned once", async () => {
  const caller = { tenant: 77 };
  const make = (_: unknown, n: number) => makeTable(server(n), { a: "text" }, { caller });
  const tables = await Promise.all(Array.from({ length: 24 }, make));
  const { data } = await (await server(0).tables(caller)).listTables({ tenantId: 77 });
  expect(data.tables).toHaveLength(tables.length);
});

test("of 24 simultaneous creates of one name, one succeeds and the others answer 400", async () => {
  for (let round = 0; round < 4; round++) {
    const name = freshName();
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => create(n, name, { a: "text" })));
    expect(tally(answers)).toEqual({ 201: 1, 400: 23 });
    const codes = new Set(answers.filter(({ status }) => status === 400).map(({ code }) => code));
    expect(codes).toEqual(new Set(["table_name_in_use"]));
    expect(await existence(name)).toEqual({ listed: true, made: true });
  }
});

test("of 24 simultaneous drops of one table, one succeeds and the others answer 404", async () => {
  const { name } = await makeTable(server(0), { a: "text" });
  const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => drop(n, name)));
  expect(tally(answers)).toEqual({ 200: 1, 404: 23 });
  expect(await existence(name)).toEqual({ listed: false, made: false });
});

test("creates and drops of one name alternate, and registry and database agree", async () => {
  const name = freshName();
  const answers = await Promise.all(
    Array.from({ length: 48 }, (_, n) => (n % 4 < 2 ? create(n, name, { a: "text" }) : drop(n, name))),
  );
  const counts = tally(answers);
  expect(Object.keys(counts).filter((status) => !["200", "201", "400", "404"].includes(status))).toEqual([]);
  const { listed, made } = await existence(name);
  expect(made).toBe(listed);
  expect((counts[201] ?? 0) - (counts[200] ?? 0)).toBe(listed ? 1 : 0);
});

test("tenants can create tables of one name at the same time", async () => {
  const name = freshName();
  const make = (_: unknown, n: number) =>
    makeTable(server(n), { a: "text" }, { name, caller: { tenant: 100 + n } });
  expect(await Promise.all(Array.from({ length: 12 }, make))).toHaveLength(12);
});

/** Two tables that take turns under one name. They share only a column's name. */
const shapes = [
  { v: "integer", a: "text" },
  { v: "text", b: "jsonb", c: "timestamp" },
] as const satisfies Columns[];

const fits = (row: Record<string, unknown>) =>
  typeof row.v === "number"
    ? "a" in row && !("b" in row)
    : typeof row.v === "string" && "b" in row && !("a" in row);

test("while a table is dropped and created in another shape, nobody gets a stale plan or value", async () => {
  const name = freshName();
  const path = rowsPath(name);
  let running = true;
  const unexpected: Answer[] = [];
  const done = new Map<string, number>();
  const note = (request: string, answer: Answer) => {
    const [method] = request.split(" ");
    done.set(`${method} ${answer.status}`, (done.get(`${method} ${answer.status}`) ?? 0) + 1);
    const rows: Record<string, unknown>[] = answer.body?.data?.rows ?? [];
    if (![200, 201, 400, 404].includes(answer.status) || !rows.every(fits)) unexpected.push(answer);
  };
  const requests: readonly (readonly [string, unknown?])[] = [
    [`POST ${path}`, { rows: [{ v: 1, a: "x" }] }],
    [`POST ${path}`, { rows: [{ v: "x", b: [1], c: "2026-09-04T08:15:30Z" }] }],
    [`GET ${path}`],
    [`GET ${path}?v=1`],
    [`PATCH ${path}`, { where: { v: 1 }, set: { v: 2 } }],
    [`PATCH ${path}`, { where: { v: "x" }, set: { v: "y" } }],
    [`DELETE ${path}`, { where: { v: "y" } }],
    [`DELETE ${path}`, { where: { v: 2 } }],
    [`GET ${tablePath(name)}`],
  ];
  const workers = Array.from({ length: 8 }, async (_, worker) => {
    for (let n = worker; running; n++) {
      const [request, body] = requests[n % requests.length] ?? [`GET ${path}`];
      note(request, await send(server(worker), request, body === undefined ? {} : { body }));
    }
  });
  for (let turn = 0; turn < 40; turn++) {
    note("create", await create(turn, name, shapes[turn % 2] as Columns));
    await Bun.sleep(turn % 5 === 0 ? 60 : 10);
    note("drop", await drop(turn + (turn % 3), name));
  }
  running = false;
  await Promise.all(workers);
  expect(unexpected.map(({ text }) => text)).toEqual([]);
  expect(done.get("create 201")).toBe(40);
  for (const seen of ["POST 201", "POST 400", "GET 200", "GET 404", "PATCH 200", "DELETE 200"])
    expect([seen, (done.get(seen) ?? 0) > 0]).toEqual([seen, true]);
});

test("a definition that another server changed is noticed by the next request", async () => {
  const { name, path } = await makeTable(server(0), shapes[0]);
  for (let turn = 1; turn < 5; turn++) {
    const old = { rows: [{ v: turn, a: "x" }] };
    for (let use = 0; use < 4; use++) await send(server(0), `POST ${path}`, { body: old });
    expect(await drop(1, name)).toMatchObject({ status: 200 });
    expect(await send(server(0), `GET ${path}`)).toMatchObject({ status: 404 });
    expect(await create(1, name, shapes[1])).toMatchObject({ status: 201 });
    expect(await send(server(0), `POST ${path}`, { body: old })).toMatchObject({
      status: 400,
      pointers: ["/rows/0/v", "/rows/0/a"],
    });
    expect(await send(server(0), `GET ${path}?a=x`)).toMatchObject({ status: 400, code: "unknown_column" });
    expect((await send(server(0), `GET ${path}?v=1`)).body.data.rows).toEqual([]);
    await drop(1, name);
    await create(1, name, shapes[0]);
  }
});

test("all rows that two servers insert at the same time arrive", async () => {
  const table = await makeTable(server(0), { n: "integer" });
  const insert = (_: unknown, n: number) =>
    send(server(n), `POST ${table.path}`, { body: { rows: [{ n }] } });
  const answers = await Promise.all(Array.from({ length: 100 }, insert));
  expect(tally(answers)).toEqual({ 201: 100 });
  const seen = (await table.values()).map(({ n }) => Number(n));
  expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
});
