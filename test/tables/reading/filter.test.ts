import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { modelColumns } from "../../support/filterModel.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send, type TestTable } from "../../support/tables.ts";

let server: TestServer;
let table: TestTable;
let odd: TestTable;
const oddNames = ["null", "true", "not", "eq", "in", "contains", "page", "limit", "date"] as const;
beforeAll(async () => {
  server = await startServer();
  table = await makeTable(server, modelColumns);
  await table.insert(
    { u: "100%", m: 1, t: "a_b" },
    { u: "1000", m: 2, t: null },
    { u: "it's", m: 3, t: "axb" },
  );
  odd = await makeTable(server, Object.fromEntries(oddNames.map((name) => [name, "integer" as const])));
  await odd.insert(Object.fromEntries(oddNames.map((name, n) => [name, n])));
  const other = await makeTable(server, modelColumns, { caller: { tenant: 2 } });
  await other.insert({ u: "secret of tenant 2", m: 1 });
});
afterAll(() => server.stop());

const list = (filter: string, { path } = table, more = "") =>
  send(server, `GET ${path}?$filter=${encodeURIComponent(filter)}${more}`);
const found = async (filter: string, more?: string) =>
  (await list(filter, table, more)).body.data.rows.map(({ m }: { m: number }) => m);

/** A filter, the character where its fault is, and what the answer says about it. */
const faults: readonly (readonly [filter: string, at: number, detail: string])[] = [
  ["", 1, 'expected a column, a value, a function, "not" or "(", found the end.'],
  [
    "t eq 5",
    6,
    "expected a string in single quotes, such as 'Bandung', to compare with column \"t\", found a number.",
  ],
  [
    "'👩' eq 'x' and n eq 'y'",
    21,
    'expected a number, such as 12.5, to compare with column "n", found a string.',
  ],
  ["5 eq t", 1, "expected a string in single quotes"],
  ["n gt", 5, "found the end."],
  ["n gt 5 or", 10, "found the end."],
  ["n", 2, 'expected a comparison such as "eq", found the end.'],
  ["n and f", 3, 'expected a comparison such as "eq", found "and".'],
  ["f and n", 8, 'expected a comparison such as "eq", found the end.'],
  ["not n gt 5", 5, 'expected a condition after "not", such as (a eq 1), found column "n" (a number).'],
  ["(n gt 5", 8, 'or ")", found the end.'],
  ["n gt 5)", 7, 'or the end, found ")".'],
  ["n is null", 3, 'found "is".'],
  ["n = 5", 3, 'found "="'],
  ["n gt 5;drop table x", 7, 'found ";"'],
  ["t eq 'a", 8, "expected the quote that ends the string"],
  ['t eq "a"', 6, 'found "\\""'],
  ["colour eq 'x'", 1, 'this table has no column "colour"'],
  ["__proto__ eq 'x'", 1, 'this table has no column "__proto__"'],
  ["xmin eq 5", 1, 'this table has no column "xmin"'],
  ["day eq 2026-02-30", 8, "expected a day that exists"],
  ["day eq 2026-01-31T00:00:00Z", 8, "expected a date, such as 2026-01-31"],
  ["moment gt 2026-01-31", 11, "expected a timestamp, such as 2026-01-31T08:30:00Z"],
  ["moment gt 2026-01-31T00:00:00 07:00", 30, '"+" is written %2B'],
  ["n eq 1e400000", 6, "expected a number, or a decimal string"],
  ["n eq 5x", 7, "expected a blank"],
  ["n eq 0x10", 7, "expected a blank"],
  ["n eq NaN", 6, 'no column "NaN"'],
  ["n in 5", 6, "expected a list in parentheses"],
  ["n in ()", 7, "expected a value"],
  ["n in (5,'a')", 9, "expected a number"],
  ["n in (5,m)", 9, "expected a value"],
  ["f gt true", 1, "only eq and ne compare true and false"],
  ["j lt j/a", 1, "only eq and ne compare two jsonb values"],
  ["j/a eq 2026-01-31", 8, "expected a string, a number, true, false or null"],
  ["j/ eq 1", 7, 'expected "and"'],
  ["j/-1 eq 1", 3, "expected a key"],
  ["t/a eq 1", 2, 'found "/"'],
  ["contains(t)", 11, 'expected ",", found ")"'],
  ["contains(t,5)", 12, "expected a string in single quotes"],
  ["contains(t,null)", 12, "expected a string in single quotes"],
  ["length(t) gt 5", 1, "expected a function (contains, startswith"],
  ["year(t) eq 5", 6, "expected a date, such as 2026-01-31, or a timestamp"],
  ["date(day) eq 2026-01-01", 6, "expected a timestamp"],
  ["t eq 'a\0'", 6, "without U+0000"],
  ["n eq 1 add 2", 8, 'found "add"'],
  [`${"(".repeat(33)}n eq 1${")".repeat(33)}`, 34, "more than 32 levels"],
  [`${"not ".repeat(33)}f`, 133, "more than 32 levels"],
  [`n in (${"1,".repeat(400)}1)`, 805, "more than 400 columns and values"],
];

test("a filter that does not parse answers 400 with the place and what was expected there", async () => {
  for (const [filter, at, detail] of faults) {
    const answer = await list(filter);
    expect([filter, answer.status, answer.pointers]).toEqual([filter, 400, ["/query/$filter"]]);
    expect(answer.body.errors[0].detail).toStartWith(`At character ${at}: `);
    expect(answer.body.errors[0].detail).toContain(detail);
  }
});

test("a filter may have 8192 characters", async () => {
  expect(await found(`m eq 1 or u eq '${"x".repeat(8_175)}'`)).toEqual([1]);
  expect(await list(`m eq 1 or u eq '${"x".repeat(8_176)}'`)).toMatchObject({
    status: 400,
    pointers: ["/query/$filter"],
  });
});

test("a filter may have 32 levels, and 400 columns and values", async () => {
  expect(await found(`${"(".repeat(32)}m eq 1${")".repeat(32)}`)).toEqual([1]);
  expect(await found(Array.from({ length: 200 }, (_, n) => `m eq ${n}`).join(" or "))).toEqual([1, 2, 3]);
  expect(await found(`m in (${Array.from({ length: 399 }, (_, n) => n).join()})`)).toEqual([1, 2, 3]);
});

test("long filters are read in a moment, whatever is in them", async () => {
  const hostile = [
    "(",
    "not ",
    "''",
    "'",
    "1",
    "1 ",
    "a/",
    "j/a",
    "contains(",
    "n in (1,",
    "é",
    "- ",
    "2026-01-01T",
    " ",
  ];
  const started = performance.now();
  for (const part of hostile) {
    const answer = await list(part.repeat(2_500).slice(0, 2_500));
    expect([part, answer.status]).toEqual([part, 400]);
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("a filter is combined with the equality filters, and the total counts its rows", async () => {
  expect(await found("m ge 2")).toEqual([2, 3]);
  expect(await found("m ge 2", "&u=1000")).toEqual([2]);
  expect((await list("m ge 2", table, "&limit=1")).body.data).toMatchObject({ total: 2, limit: 1 });
  expect(await found("m eq 1 or m eq 2", "&m=3")).toEqual([]);
});

test("percent signs and underscores are ordinary characters", async () => {
  expect(await found("contains(u,'%')")).toEqual([1]);
  expect(await found("endswith(u,'0%')")).toEqual([1]);
  expect(await found("contains(t,'a_')")).toEqual([1]);
  expect(await found("startswith(u,'it''s')")).toEqual([3]);
});

test("words of OData may be written in capitals, and an offset with %2B", async () => {
  expect(await found("NOT (m EQ 1) AND Contains(u,'0') Or u IN ('x') and TRUE")).toEqual([2]);
  expect(await found("created_at gt 2001-01-01T00:00+07:00")).toEqual([1, 2, 3]);
  expect(await found("id eq 2 or id eq 99999999999999999999")).toEqual([2]);
});

test("a column can be filtered by whatever its name is", async () => {
  for (const [n, name] of oddNames.entries()) {
    const right = await list(`$it/${name} eq ${n}`, odd);
    expect(right.body.data.rows).toHaveLength(1);
    expect((await list(`$it/${name} eq ${n + 1}`, odd)).body.data.rows).toHaveLength(0);
  }
  expect(
    (await list("page eq 6 and limit eq 7 and contains eq 5 and date eq 8 and eq eq in sub", odd)).status,
  ).toBe(400);
  expect((await list("page eq 6 and limit eq 7 and contains eq 5 and eq lt in", odd)).body.data.total).toBe(
    1,
  );
});

test("the SDK sends a filter, and so do names with spaces in jsonb", async () => {
  const api = await server.tables();
  const target = { tenantId: 1, table: table.name };
  const { data } = await api.listRows({ ...target, $filter: "u eq 'it''s' or j/'unit price'/0 gt 5" });
  expect(data.rows).toMatchObject([{ m: 3 }]);
});

const words = fc.constantFrom(
  ..."t u n m b d f day moment j j/a id null true eq ne gt le in and or not ( ) , / ' '' '% 1 -1 1e9 2026-01-31".split(
    " ",
  ),
  ...[
    "contains(",
    "year(",
    "date(",
    "tolower(",
    "2026-01-31T00:00:00Z",
    "'a'",
    "'; select 1 --",
    "$it/",
    "$1",
    " ",
  ],
);

test("whatever the text is, it answers 200 or 400, and shows nothing of another tenant", async () => {
  const soup = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(" "));
  const check = async (filter: string) => {
    const answer = await list(filter);
    expect([filter, [200, 400].includes(answer.status)]).toEqual([filter, true]);
    expect(answer.text).not.toContain("secret");
  };
  const texts = fc.oneof(soup, fc.string({ unit: "binary", maxLength: 40 }));
  await fc.assert(fc.asyncProperty(texts, check), { seed: 20261122, numRuns: 600 });
});
