import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createDatabase, type TestDatabase } from "../../support/database.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Answer, makeTable, send, tablePath, tablesPath } from "../../support/tables.ts";

setDefaultTimeout(120_000);

/** Two servers on one database. */
let database: TestDatabase;
let servers: readonly [TestServer, TestServer];
beforeAll(async () => {
  database = await createDatabase();
  const options = { database, secret: "shared by both servers, 32 chars+" };
  servers = [await startServer(options), await startServer(options)];
}, 60_000);
afterAll(async () => {
  for (const server of servers) await server.stop();
  await database.drop();
});

const server = (n: number) => servers[n % 2] as TestServer;

interface Seen {
  readonly written: number[];
  readonly unexpected: string[];
  readonly statuses: Map<string, number>;
}

const note = (seen: Seen, request: string, { status, code, text }: Answer) => {
  const key = `${request} ${status}`;
  seen.statuses.set(key, (seen.statuses.get(key) ?? 0) + 1);
  const isBusy = status === 503 && code === "busy";
  if (![200, 201, 400, 404, 409].includes(status) && !isBusy) seen.unexpected.push(`${request} ${text}`);
};

/** Whether all values of a page come from one definition. */
const isOfOneShape = (rows: readonly Record<string, unknown>[]) =>
  new Set(rows.flatMap(({ v }) => (v === null || v === undefined ? [] : [typeof v]))).size <= 1;

/** Writes rows of both shapes, each with a number of its own, and reads pages, until told to stop. */
async function use(path: string, worker: number, seen: Seen, isRunning: () => boolean): Promise<void> {
  for (let n = worker; isRunning(); n += 6) {
    const row = n % 2 === 0 ? { n, v: n } : { n, v: `text ${n}` };
    const inserted = await send(server(n), `POST ${path}/rows`, { body: { rows: [row] } });
    note(seen, "insert", inserted);
    if (inserted.status === 201) seen.written.push(n);
    const page = await send(server(n + 1), `GET ${path}/rows?limit=500`);
    note(seen, "list", page);
    if (page.status === 200 && !isOfOneShape(page.body.data.rows)) seen.unexpected.push(page.text);
  }
}

test("while a table is altered, dropped and restored, no write is lost or goes into another column", async () => {
  const { name, record } = await makeTable(server(0), { n: "bigint", v: "integer" });
  const path = tablePath(name);
  const seen: Seen = { written: [], unexpected: [], statuses: new Map() };
  let running = true;
  const workers = Array.from({ length: 6 }, (_, worker) => use(path, worker, seen, () => running));
  const insist = async (what: string, request: string, body?: unknown) => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await send(server(attempt), request, body === undefined ? {} : { body });
      note(seen, what, answer);
      if (answer.status === 200) return;
    }
    seen.unexpected.push(`${what} did not succeed`);
  };
  for (let turn = 0; turn < 16; turn++) {
    const type = turn % 2 === 0 ? "text" : "integer";
    // The same name is another column from now on.
    const other = {
      drop_columns: ["v"],
      add_columns: [{ name: "v", type }],
      add_indexes: [{ columns: ["v"] }],
    };
    await insist("alter", `PATCH ${path}?confirm=true`, other);
    await Bun.sleep(30);
    if (turn % 4 !== 3) continue;
    await insist("drop", `DELETE ${path}?confirm=true`);
    await Bun.sleep(20);
    await insist("restore", `POST ${tablesPath()}/${record.id}/restore`, {});
  }
  running = false;
  await Promise.all(workers);
  expect(seen.unexpected).toEqual([]);
  const stored = await server(0).sql.unsafe<{ n: number }[]>(
    `select n::int as n from tenant_1.${name} order by n`,
  );
  expect(stored.map(({ n }) => n)).toEqual(seen.written.toSorted((a, b) => a - b));
  for (const kind of ["insert 201", "insert 400", "list 200", "alter 200"])
    expect([kind, (seen.statuses.get(kind) ?? 0) > 0]).toEqual([kind, true]);
  // Each value is in the column that had its type.
  const hidden = await server(0).sql<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, -1) as type
    from pg_attribute
    where attrelid = ${`tenant_1.${name}`}::regclass and attnum > 4 and not attisdropped`;
  for (const column of hidden) {
    const [wrong] = await server(0).sql.unsafe<{ rows: number }[]>(`
      select count(*)::int as rows
      from tenant_1.${name}
      where ${column.name}::text is distinct from
            (case when ${column.name} is not null
                  then case when n % 2 = 0 then n::text else 'text ' || n end
             end)`);
    expect({ ...column, wrong: wrong?.rows }).toEqual({ ...column, wrong: 0 });
  }
});

test("of simultaneous changes with one If-Match, one succeeds", async () => {
  const { name, record } = await makeTable(server(0), { a: "text" });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      send(server(n), `PATCH ${tablePath(name)}`, {
        body: { add_columns: [{ name: `c${n}`, type: "text" }] },
        headers: { "if-match": `"${record.id}-1"` },
      }),
    ),
  );
  const counts = Map.groupBy(answers, ({ status }) => status);
  expect(counts.get(200)).toHaveLength(1);
  expect([...counts.keys()].filter((status) => ![200, 412, 503].includes(status))).toEqual([]);
});

test("a change on one server is noticed by the next request on the other", async () => {
  const table = await makeTable(server(0), { a: "text" });
  await table.insert({ a: "x" });
  for (let turn = 0; turn < 6; turn++) {
    const [from, to] = turn % 2 === 0 ? ["a", "b"] : ["b", "a"];
    const renamed = await send(server(turn), `PATCH ${tablePath(table.name)}`, {
      body: { rename_columns: [{ from, to }] },
    });
    expect(renamed).toMatchObject({ status: 200 });
    const page = await send(server(turn + 1), `GET ${tablePath(table.name)}/rows?${to}=x`);
    expect(page).toMatchObject({ status: 200, body: { data: { rows: [{ [to as string]: "x" }] } } });
    const old = await send(server(turn + 1), `POST ${tablePath(table.name)}/rows`, {
      body: { rows: [{ [from as string]: "y" }] },
    });
    expect(old).toMatchObject({ status: 400, code: "unknown_column" });
  }
});
