import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { anyModelRow, type ModelRow, modelColumns, scaled, sortKey } from "../../support/filterModel.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send, type TestTable } from "../../support/tables.ts";

let server: TestServer;
let table: TestTable;
let loans: TestTable;
beforeAll(async () => {
  server = await startServer();
  table = await makeTable(server, modelColumns);
  loans = await makeTable(server, {
    branch: "text",
    amount: "numeric",
    n: "integer",
    paid: "date",
    extra: "jsonb",
  });
  await loans.insert(
    { branch: "Bandung", amount: "0.10", n: 2147483647, paid: "2026-01-31", extra: { a: 1 } },
    { branch: "Bandung", amount: "0.20", n: 2147483647, paid: "2026-02-01", extra: { a: 2 } },
    { branch: "Solo", amount: "12345678901234567890.5", n: null, paid: null, extra: { a: 3 } },
    { branch: null, amount: null, n: 1, paid: "2026-02-01", extra: null },
  );
});
afterAll(() => server.stop());

const apply = (text: string, more: Record<string, string> = {}, { path } = loans) =>
  send(server, `GET ${path}?${new URLSearchParams({ $apply: text, ...more })}`);

test("groups have the sums, the least, the largest and the numbers of their rows", async () => {
  const text = `groupby((branch),aggregate(amount with sum as total,n with max as most,paid with min as first,
    n with sum as all,n with countdistinct as kinds,$count as rows))`;
  const answer = await apply(text);
  expect(answer).toMatchObject({ status: 200, body: { message: "3 groups in all." } });
  expect(answer.body.data).toEqual({
    rows: [
      {
        branch: "Bandung",
        total: "0.30",
        most: 2147483647,
        first: "2026-01-31",
        all: "4294967294",
        kinds: 1,
        rows: 2,
      },
      {
        branch: "Solo",
        total: "12345678901234567890.5",
        most: null,
        first: null,
        all: null,
        kinds: 0,
        rows: 1,
      },
      { branch: null, total: null, most: 1, first: "2026-02-01", all: "1", kinds: 1, rows: 1 },
    ],
    page: 0,
    limit: 50,
    total: 3,
  });
});

test("without groupby all rows are one group, and without aggregate groups are listed", async () => {
  const sum = await apply(
    "filter(amount lt 1)/aggregate(amount with sum as total,amount with average as mean)",
  );
  expect(sum.body.data.rows).toMatchObject([{ total: "0.30" }]);
  expect(Number(sum.body.data.rows[0].mean)).toBe(0.15);
  const none = await apply("aggregate($count as n,amount with sum as total)", { branch: "nowhere" });
  expect(none.body.data.rows).toEqual([{ n: 0, total: null }]);
  expect((await apply("groupby((branch))")).body.data.rows).toEqual([
    { branch: "Bandung" },
    { branch: "Solo" },
    { branch: null },
  ]);
});

test("filters come before the groups, and equality filters hold too", async () => {
  const branches = async (text: string, more?: Record<string, string>) =>
    (await apply(text, more)).body.data.rows.map(({ branch }: { branch: string }) => branch);
  expect(await branches("filter(extra/a ge 2)/filter(branch ne 'Solo')/groupby((branch))")).toEqual([
    "Bandung",
  ]);
  expect(await branches("groupby((branch))", { paid: "2026-02-01" })).toEqual(["Bandung", null]);
});

test("groups are ordered by any column of the answer, and paged", async () => {
  const text = "groupby((branch),aggregate($count as n,amount with sum as total))";
  const names = async (more: Record<string, string>) =>
    (await apply(text, more)).body.data.rows.map(({ branch }: { branch: string }) => branch);
  expect(await names({ $orderby: "total desc" })).toEqual(["Solo", "Bandung", null]);
  expect(await names({ $orderby: "n,branch desc" })).toEqual(["Solo", null, "Bandung"]);
  expect(await names({ limit: "2", page: "1" })).toEqual([null]);
  expect((await apply(text, { $total: "false" })).body.data.total).toBeUndefined();
  expect(await apply(text, { $orderby: "amount" })).toMatchObject({
    status: 400,
    pointers: ["/query/$orderby"],
  });
});

const faults: readonly (readonly [text: string, at: number, detail: string])[] = [
  ["", 1, 'expected "filter(", "groupby(" or "aggregate("'],
  ["filter(amount gt 1)", 20, 'expected "/", found the end'],
  ["filter(amount gt 'x')/aggregate($count as n)", 18, "expected a number"],
  ["groupby(branch)", 9, 'expected "("'],
  ["groupby((colour))", 10, 'no column "colour"'],
  ["groupby((extra))", 10, "not jsonb"],
  ["groupby((branch,branch))", 17, "there twice"],
  ["groupby((branch),aggregate(branch with sum as x))", 40, "there is no sum of its values"],
  ["aggregate(extra with countdistinct as x)", 22, "there is no countdistinct"],
  ["aggregate(amount as x)", 18, 'expected "with"'],
  ["aggregate(amount with median as x)", 23, "expected sum, average, min, max, countdistinct"],
  ["aggregate(amount with sum)", 26, 'expected "as"'],
  ["aggregate(amount with sum as X)", 30, "expected a name"],
  ["aggregate($count as n,n with sum as n)", 23, "there twice"],
  ["groupby((branch),aggregate($count as branch))", 28, "there twice"],
  ["groupby((branch))/filter(branch eq 'x')", 18, "expected the end"],
];

test("an $apply that does not parse answers 400 with the place", async () => {
  for (const [text, at, detail] of faults) {
    const answer = await apply(text);
    expect([text, answer.status, answer.pointers]).toEqual([text, 400, ["/query/$apply"]]);
    expect(answer.body.errors[0].detail).toStartWith(`At character ${at}: `);
    expect(answer.body.errors[0].detail).toContain(detail);
  }
  const answer = await apply("aggregate($count as n)", { $filter: "n eq 1", $select: "n", $after: "x" });
  expect(answer).toMatchObject({
    status: 400,
    pointers: ["/query/$filter", "/query/$select", "/query/$after"],
  });
});

test("a sum that PostgreSQL cannot hold, or groups that are too large for an answer, are refused", async () => {
  const large = await makeTable(server, { a: "numeric", b: "text" });
  await large.insert(...Array.from({ length: 10 }, () => ({ a: `9e131071`, b: "x".repeat(2 * 1024 ** 2) })));
  await server.sql.unsafe(`update tenant_1.${large.name} set b = id || b`);
  expect(await apply("aggregate(a with sum as s)", {}, large)).toMatchObject({
    status: 400,
    code: "answer_too_large",
  });
  expect(await apply("groupby((b))", {}, large)).toMatchObject({ status: 400, code: "answer_too_large" });
  expect(await apply("groupby((b))", { limit: "2" }, large)).toMatchObject({ status: 200 });
});

/** Groups in memory: the rows with equal values, in the order of the values. */
function groupsOf(rows: readonly ModelRow[], by: readonly string[]): ModelRow[][] {
  const groups = new Map<string, ModelRow[]>();
  const keyOf = (row: ModelRow) =>
    by.map((name) => (row[name] === null ? "null" : `v${sortKey(name, row[name])}`)).join("\n");
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups.values()];
}

const valued = (rows: readonly ModelRow[], name: string) =>
  rows.map((row) => row[name]).filter((value) => value !== null);
const sumOf = (values: readonly unknown[]) =>
  values.reduce((sum: bigint, value) => sum + scaled(String(value)), 0n);

test("sums and groups of random rows are those in memory, digit by digit", async () => {
  const check = async (rows: ModelRow[], by: string[], column: string) => {
    await server.sql.unsafe(`truncate tenant_1.${table.name}`);
    await table.insert(...rows);
    const text = `groupby((${by}),aggregate(${column} with sum as s,${column} with min as lo,${column} with max as hi,
      ${column} with average as mean,${column} with countdistinct as kinds,$count as rows))`;
    const answer = await apply(text, { limit: "500" }, table);
    const found = answer.body.data.rows.map((group: Record<string, unknown>) => [
      ...by.map((name) => (group[name] === null ? null : sortKey(name, group[name]))),
      ...["s", "lo", "hi"].map((name) => (group[name] === null ? null : scaled(String(group[name])))),
      group.kinds,
      group.rows,
    ]);
    const expected = groupsOf(rows, by).map((group) => {
      const values = valued(group, column).map((value) => scaled(String(value)));
      const sorted = values.toSorted((a, b) => (a < b ? -1 : 1));
      return [
        ...by.map((name) => (group[0]?.[name] === null ? null : sortKey(name, group[0]?.[name]))),
        values.length === 0 ? null : sumOf(valued(group, column)),
        sorted[0] ?? null,
        sorted.at(-1) ?? null,
        new Set(values).size,
        group.length,
      ];
    });
    const inOrder = (all: unknown[][]) => all.map((one) => one.map(String).join("|")).sort();
    expect(inOrder(found)).toEqual(inOrder(expected));
  };
  const rows = fc.array(anyModelRow, { minLength: 5, maxLength: 40 });
  const by = fc.uniqueArray(fc.constantFrom("t", "n", "d", "f", "day", "moment"), {
    minLength: 1,
    maxLength: 2,
  });
  const property = fc.asyncProperty(rows, by, fc.constantFrom("n", "m", "b", "d"), check);
  await fc.assert(property, { seed: 20261122, numRuns: 40 });
});

test("whatever $apply, $orderby and $select are, the answer is 200 or 400", async () => {
  const words = fc.constantFrom(
    ..."branch amount n paid extra id s groupby aggregate filter ( (( ) )) , / with sum min countdistinct as $count desc".split(
      " ",
    ),
    ...[
      "groupby((branch),aggregate(",
      "aggregate($count as n)",
      "filter(n gt 1)/",
      "'x'",
      "1",
      "asc",
      "*",
      "$it/",
      "\0",
    ],
  );
  const soup = fc.array(words, { minLength: 1, maxLength: 10 }).map((parts) => parts.join(" "));
  const check = async (texts: Record<string, string>) => {
    const answer = await send(server, `GET ${loans.path}?${new URLSearchParams(texts)}`);
    expect([texts, [200, 400].includes(answer.status)]).toEqual([texts, true]);
  };
  const texts = fc.record(
    { $apply: soup, $orderby: soup, $select: soup, $after: fc.base64String() },
    { requiredKeys: [] },
  );
  await fc.assert(fc.asyncProperty(texts, check), { seed: 20261122, numRuns: 400 });
});
