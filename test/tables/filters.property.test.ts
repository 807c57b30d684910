import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { ColumnType } from "../../src/generated/schemas.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { makeTable, send, type TestTable, type Values } from "../support/tables.ts";
import { samples } from "../support/values.ts";

let server: TestServer;
let table: TestTable;
beforeAll(async () => {
  server = await startServer();
  table = await makeTable(server, Object.fromEntries(types.map((type) => [type, type])));
});
afterAll(() => server.stop());

/** Values of each type that differ, each with texts that mean it in a filter. */
const pool: Readonly<Record<ColumnType, readonly (readonly [value: unknown, ...texts: string[]])[]>> = {
  text: [
    ["", ""],
    ["null", "null"],
    ["a&b=c+d %25", "a&b=c+d %25"],
    ["é", "é"],
    ["e\u0301", "e\u0301"],
    ["'", "'"],
  ],
  integer: [
    [0, "0", "-0"],
    [-1, "-1"],
    [2147483647, "2147483647"],
  ],
  bigint: [
    ["9007199254740993", "9007199254740993"],
    ["9007199254740992", "9007199254740992"],
    ["-1", "-1"],
  ],
  numeric: [
    ["0.10", "0.1", "0.100", "1e-1"],
    ["12345678901234567890.5", "12345678901234567890.50"],
    ["0", "-0.0", "0"],
  ],
  boolean: [
    [true, "true"],
    [false, "false"],
  ],
  date: [
    ["2024-02-29", "2024-02-29"],
    ["0001-01-01", "0001-01-01"],
  ],
  timestamp: [
    ["2026-09-04T08:15:30.123456Z", "2026-09-04T08:15:30.123456Z", "2026-09-04 15:15:30.1234560+07:00"],
    ["2026-09-04T08:15:30.123457Z", "2026-09-04t08:15:30.123457z"],
  ],
  jsonb: [
    [{ a: [1, "x"], b: null }, '{"b":null,"a":[1.0,"x"]}'],
    [[], "[]"],
    ["text", '"text"'],
    [1.5, "1.50"],
    [false, "false"],
  ],
};
const types = Object.keys(pool) as ColumnType[];

/** For each column, the index of a value in its pool; null for no value. */
type Row = Readonly<Record<ColumnType, number | null>>;
const anyRow = fc.record(
  Object.fromEntries(types.map((type) => [type, fc.option(fc.nat(pool[type].length - 1))])),
) as fc.Arbitrary<Row>;

/** A column, a value of its pool, and one of the texts that mean it. */
const anyFilter = fc
  .constantFrom(...types)
  .chain((type) => fc.tuple(fc.constant(type), fc.nat(pool[type].length - 1), fc.nat(2)));

const valuesOf = (row: Row): Values =>
  Object.fromEntries(types.map((type) => [type, row[type] === null ? null : pool[type][row[type]]?.[0]]));

test("filters of any type find exactly the rows that equal all of them", async () => {
  const check = async (rows: Row[], filters: [ColumnType, number, number][]) => {
    await table.insert(...rows.map(valuesOf));
    const wanted = new Map(filters.map(([type, value]) => [type, value]));
    const texts = filters.map(([type, value, spelling]) => {
      const [, ...all] = pool[type][value] ?? [];
      return [type, all[spelling % all.length] ?? ""];
    });
    const found = await table.values(Object.fromEntries(texts));
    const matching = rows.filter((row) => [...wanted].every(([type, value]) => row[type] === value));
    expect(found).toEqual(matching.map(valuesOf));
    await server.sql.unsafe(`delete from tenant_1.${table.name}`);
  };
  const rows = fc.array(anyRow, { minLength: 1, maxLength: 30 });
  const filters = fc.uniqueArray(anyFilter, { maxLength: 3, selector: ([type]) => type });
  await fc.assert(fc.asyncProperty(rows, filters, check), { seed: 20260904, numRuns: 60 });
});

test("a stored value is found by its own text", async () => {
  for (const type of types) {
    const check = async ({ sent, answered }: { sent: unknown; answered: string }) => {
      await table.insert({ [type]: sent });
      const text = type === "jsonb" ? JSON.stringify(sent) : String(JSON.parse(answered));
      expect(await table.rows({ [type]: text })).toHaveLength(1);
      expect(await table.remove({ [type]: sent })).toBe(1);
    };
    // Texts that fit into a URL.
    const short = samples[type].filter(
      ({ sent, answered }) => JSON.stringify(sent).length + answered.length < 2_000,
    );
    await fc.assert(fc.asyncProperty(short, check), { seed: 20260904, numRuns: 12 });
  }
});

const unreadable: Readonly<Record<Exclude<ColumnType, "text">, readonly string[]>> = {
  integer: ["", "x", "1.0", "1e3", " 1", "+1", "01", "0x1", "2147483648", "null", "1;", "--1", "true", '"1"'],
  bigint: ["", "x", "1.0", "1e3", " 1", "+1", "01", "9223372036854775808", "null", "٣"],
  numeric: ["", "x", "NaN", "Infinity", " 1", "+1", "1,5", ".5", "5.", "1e400000", "0x1F", "1_0", "null"],
  boolean: ["", "t", "TRUE", "True", "1", "0", "on", "yes", " true", "null"],
  date: ["", "today", "2026-02-30", "2026-1-1", "2026-01-01T00:00:00Z", "infinity", "20260101", "null"],
  timestamp: [
    "",
    "now",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00.1234567Z",
    "infinity",
    "1",
  ],
  jsonb: [
    "",
    "{",
    "[1,]",
    "x",
    "'x'",
    "01",
    "NaN",
    "undefined",
    '"\\u0000"',
    '"\\ud800"',
    '{"a":1,"a":1}',
    "1e400000",
  ],
};

test("a filter that its column's type cannot read answers 400 with its pointer", async () => {
  for (const [type, texts] of Object.entries(unreadable))
    for (const text of texts) {
      const answer = await send(server, `GET ${table.path}?${type}=${encodeURIComponent(text)}`);
      expect(answer).toMatchObject({ status: 400, code: "invalid_value", pointers: [`/query/${type}`] });
    }
  expect(await send(server, `GET ${table.path}?text=%00`)).toMatchObject({ pointers: ["/query/text"] });
});

test("a plus sign in the query is a space, as browsers write it", async () => {
  await table.insert({ text: "a b" }, { text: "a+b" });
  const found = async (query: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: an answer's body.
    (await send(server, `GET ${table.path}?${query}`)).body.data.rows.map((row: any) => row.text);
  expect(await found("text=a+b")).toEqual(["a b"]);
  expect(await found("text=a%2Bb")).toEqual(["a+b"]);
  const unencoded = await send(server, `GET ${table.path}?timestamp=2026-01-01T00:00:00+07:00`);
  expect(unencoded).toMatchObject({ status: 400, pointers: ["/query/timestamp"] });
});
