import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { anyModelRow, type ModelRow, modelColumns, sortKey } from "../../support/filterModel.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send, type TestTable } from "../../support/tables.ts";

let server: TestServer;
let table: TestTable;
beforeAll(async () => {
  server = await startServer();
  table = await makeTable(server, modelColumns);
});
afterAll(() => server.stop());

interface Term {
  readonly name: string;
  readonly descending: boolean;
}
type Numbered = ModelRow & { readonly id: number };

const sortable = Object.keys(modelColumns).filter((name) => name !== "j");
const anyOrder = fc.uniqueArray(
  fc.record({ name: fc.constantFrom(...sortable, "id"), descending: fc.boolean() }),
  { minLength: 1, maxLength: 3, selector: ({ name }) => name },
);
const orderText = (terms: readonly Term[]) =>
  terms.map(({ name, descending }) => `${name}${descending ? " desc" : ""}`).join(",");

/** Nulls come last, whatever the direction. */
function compare(a: Numbered, b: Numbered, terms: readonly Term[]): number {
  for (const { name, descending } of [...terms, { name: "id", descending: false }]) {
    const [x, y] = [a[name] ?? null, b[name] ?? null];
    if (x === null && y === null) continue;
    if (x === null || y === null) return x === null ? 1 : -1;
    const [keyX, keyY] = [sortKey(name, x), sortKey(name, y)];
    if (keyX !== keyY) return (keyX < keyY ? -1 : 1) * (descending ? -1 : 1);
  }
  return 0;
}

const list = async (query: Record<string, string>) =>
  (await send(server, `GET ${table.path}?${new URLSearchParams(query)}`)).body.data;
// biome-ignore lint/suspicious/noExplicitAny: an answer's data.
const ids = (data: any): number[] => data.rows.map(({ id }: { id: string }) => Number(id));

const refill = async (rows: readonly ModelRow[]) => {
  await server.sql.unsafe(`truncate tenant_1.${table.name} restart identity`);
  await table.insert(...rows);
  return rows.map((row, index): Numbered => ({ ...row, id: index + 1 }));
};

test("pages after a cursor have every row once, in any order of any columns, as pages by number have", async () => {
  const check = async (given: ModelRow[], order: Term[], limit: number, isFiltered: boolean) => {
    const rows = await refill(given);
    const query = {
      $orderby: orderText(order),
      limit: String(limit),
      ...(isFiltered ? { $filter: "m ne 0" } : {}),
    };
    const sorted = rows.filter(({ m }) => !isFiltered || m !== 0).sort((a, b) => compare(a, b, order));
    const expected = sorted.map(({ id }) => id);
    const seen: number[] = [];
    for (let data = await list(query); ; data = await list({ ...query, $after: data.next })) {
      seen.push(...ids(data));
      if (data.next === undefined) break;
      expect(data.rows).toHaveLength(limit);
    }
    expect([query.$orderby, seen]).toEqual([query.$orderby, expected]);
    const second = ids(await list({ ...query, page: "1" }));
    expect(second).toEqual(expected.slice(limit, 2 * limit));
  };
  const rows = fc.array(anyModelRow, { minLength: 5, maxLength: 25 });
  const property = fc.asyncProperty(rows, anyOrder, fc.integer({ min: 1, max: 9 }), fc.boolean(), check);
  await fc.assert(property, { seed: 20261122, numRuns: 80 });
});

test("rows that are inserted or deleted in between shift nothing, even if the cursor's own row is deleted", async () => {
  const check = async (given: ModelRow[], order: Term[], extra: ModelRow[]) => {
    const rows = await refill(given);
    const query = { $orderby: orderText(order), limit: "5" };
    const first = await list(query);
    const before = ids(first);
    if (first.next === undefined) return;
    await table.insert(...extra);
    for (const id of before) await table.remove({ id });
    const all = [...rows, ...extra.map((row, n): Numbered => ({ ...row, id: rows.length + n + 1 }))];
    const last = rows.find(({ id }) => id === before.at(-1)) as Numbered;
    const later = all.filter((row) => compare(row, last, order) > 0).sort((a, b) => compare(a, b, order));
    const next = await list({ ...query, limit: "500", $after: first.next });
    expect(ids(next)).toEqual(later.map(({ id }) => id));
  };
  const rows = fc.array(anyModelRow, { minLength: 6, maxLength: 20 });
  const extra = fc.array(anyModelRow, { minLength: 1, maxLength: 5 });
  await fc.assert(fc.asyncProperty(rows, anyOrder, extra, check), { seed: 20261122, numRuns: 40 });
});

test("a cursor with any character changed answers 400", async () => {
  await refill(fc.sample(anyModelRow, { seed: 1, numRuns: 10 }));
  const { next } = await list({ $orderby: "t desc,d", limit: "3" });
  const check = async (at: number, other: string) => {
    const index = at % next.length;
    const damaged = next.slice(0, index) + other + next.slice(index + 1);
    const query = new URLSearchParams({ $orderby: "t desc,d", $after: damaged });
    const answer = await send(server, `GET ${table.path}?${query}`);
    const expected = damaged === next ? { status: 200 } : { status: 400, pointers: ["/query/$after"] };
    expect(answer).toMatchObject(expected);
  };
  const characters = fc.oneof(fc.constantFrom(..."AZaz09-_=."), fc.string({ unit: "binary", maxLength: 3 }));
  await fc.assert(fc.asyncProperty(fc.nat(), characters, check), { seed: 20261122, numRuns: 150 });
});
