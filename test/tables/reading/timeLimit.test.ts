import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send, type TestTable } from "../../support/tables.ts";

let server: TestServer;
let table: TestTable;
beforeAll(async () => {
  server = await startServer({
    environment: { TABLES_STATEMENT_TIMEOUT_SECONDS: "1", DATABASE_POOL_SIZE: "4" },
  });
  table = await makeTable(server, { a: "text" });
  await server.sql.unsafe(
    `insert into tenant_1.${table.name} (a) select repeat(md5(n::text), 100) from generate_series(1, 4000) n`,
  );
});
afterAll(() => server.stop());

/** Work for many seconds, if nothing stops it. */
const slow = Array.from({ length: 110 }, () => "contains(tolower(toupper(tolower(toupper(a)))),'é')").join(
  " or ",
);
const list = (query: string) => send(server, `GET ${table.path}?${query}`);
const limits = async () => {
  const rows = await Promise.all(Array.from({ length: 8 }, () => server.sql`show statement_timeout`));
  return new Set(rows.map(([row]) => row?.statement_timeout));
};

test("a read that takes longer than the limit answers 422 and is stopped", async () => {
  const answers = await Promise.all([1, 2, 3].map(() => list(`$filter=${encodeURIComponent(slow)}`)));
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 422, code: "query_too_slow" });
    expect(answer.body.message).toStartWith("The query took longer than 1 second.");
    expect(answer.headers.get("retry-after")).toBeNull();
  }
  const [running] = await server.sql`
    select count(*)::int as reads from pg_stat_activity
    where state = 'active' and query like ${`%${table.name}%`} and pid <> pg_backend_pid()`;
  expect(running?.reads).toBe(0);
});

test("the limit holds for reads of tables only, and leaves the connection as it was", async () => {
  expect(await limits()).toEqual(new Set(["30s"]));
  await Promise.all([list("limit=1"), list("$filter=id eq 0"), list("$filter=colour eq 1")]);
  expect(await limits()).toEqual(new Set(["30s"]));
  expect((await server.sql`select 'done' as slept from pg_sleep(1.3)`)[0]).toEqual({ slept: "done" });
});

test("a read within the limit answers as always", async () => {
  for (let n = 0; n < 5; n++) expect((await list("$filter=id+le+3&limit=2")).body.data.total).toBe(3);
});
