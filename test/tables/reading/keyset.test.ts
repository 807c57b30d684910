import { afterAll, beforeAll, expect, test } from "bun:test";
import { withDefinition } from "../../../src/tables/definitionCache.ts";
import { decodeCursor } from "../../../src/tables/reading/cursor.ts";
import { listRequest } from "../../../src/tables/reading/listRequest.ts";
import { selectPage } from "../../../src/tables/reading/selectPage.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send, type TestTable } from "../../support/tables.ts";

let server: TestServer;
let table: TestTable;
beforeAll(async () => {
  server = await startServer();
  table = await makeTable(server, { amount: "integer", score: "numeric not null" });
  const name = `tenant_1.${table.name}`;
  await server.sql.unsafe(`
    insert into ${name} (amount, score)
    select case when n % 10 > 0 then n * 7919 % 40009 end, n * 7907 % 40009 from generate_series(1, 40000) n`);
  for (const column of ["amount", "score"]) await server.sql.unsafe(`create index on ${name} (${column})`);
  await server.sql.unsafe(`vacuum analyze ${name}`);
});
afterAll(() => server.stop());

/** How many blocks of 8 KiB PostgreSQL reads for a page of 100 rows. */
async function blocksOf($orderby: string, $after?: string, $filter?: string): Promise<number> {
  const target = { tenant: { id: 1, schema: "tenant_1", slug: "bank" } as never, table: table.name };
  const { text, parameters } = await withDefinition(server.deps, target, async (definition) => {
    const request = listRequest(definition, { equals: {}, $orderby, $filter });
    const scope = { definition, order: request.order, filter: undefined, equals: {} };
    const after = $after === undefined ? undefined : decodeCursor($after, scope);
    return selectPage(definition, { ...request, after, limit: 100, offset: 0n, total: false });
  });
  const [row] = await server.sql.unsafe(`explain (analyze, buffers, format json) ${text}`, [...parameters]);
  const plan = row?.["QUERY PLAN"][0].Plan;
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
}

test("with an index on the order's first column, a late page reads about as much as the first", async () => {
  for (const $orderby of [
    "id",
    "id desc",
    "amount",
    "amount desc",
    "score",
    "score desc",
    "score desc,amount",
  ]) {
    const first = await blocksOf($orderby);
    for (const page of [1, 180, 350, 395]) {
      const query = new URLSearchParams({ $orderby, limit: "100", page: String(page), $total: "false" });
      const { next } = (await send(server, `GET ${table.path}?${query}`)).body.data;
      const late = await blocksOf($orderby, next);
      expect([$orderby, page, late <= 1.2 * first + 10]).toEqual([$orderby, page, true]);
    }
  }
});

test("an index that the tenant made serves a filtered page in a descending order", async () => {
  const without = await blocksOf("amount desc", undefined, "score ge 0");
  const api = await server.tables();
  const tableAlteration = { add_indexes: [{ columns: ["amount"] }] };
  await api.alterTable({ tenantId: 1, table: table.name, tableAlteration });
  // The server notices the change with its next statement.
  await table.rows();
  const served = await blocksOf("amount desc", undefined, "score ge 0");
  expect(served).toBeLessThan(without / 2);
});

test("a table with as many columns as there may be is ordered and paged like any other", async () => {
  const names = Array.from({ length: 1_500 }, (_, n) => `c${n}`);
  const wide = await makeTable(server, Object.fromEntries(names.map((name) => [name, "integer" as const])));
  await wide.insert({ c0: 1 }, { c0: 2 }, { c0: null });
  const seen: unknown[] = [];
  let $after: string | undefined;
  do {
    const query = new URLSearchParams({
      $orderby: "c0 desc,c1499",
      limit: "1",
      ...($after ? { $after } : {}),
    });
    const { data } = (await send(server, `GET ${wide.path}?${query}`)).body;
    expect(Object.keys(data.rows[0])).toEqual(["id", "created_at", "updated_at", ...names]);
    seen.push(data.rows[0].c0);
    $after = data.next;
  } while ($after);
  expect(seen).toEqual([2, 1, null]);
});

test("an order by values that no cursor can hold is refused where one is needed", async () => {
  const long = await makeTable(server, { t: "text" });
  await long.insert({ t: "x".repeat(4_100) }, { t: "y".repeat(4_100) });
  const list = (query: string) => send(server, `GET ${long.path}?${query}`);
  expect(await list("$orderby=t&limit=1")).toMatchObject({ status: 400, pointers: ["/query/$orderby"] });
  expect(await list("$orderby=t&limit=2")).toMatchObject({ status: 200 });
});
