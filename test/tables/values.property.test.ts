import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { ColumnType } from "../../src/generated/schemas.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { exactly, freshName, makeTable, send, type TestTable } from "../support/tables.ts";
import { canonical, parseExactly, type Sample, samples } from "../support/values.ts";

setDefaultTimeout(30_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const settings = { seed: 20260904, numRuns: 25 };
const types = Object.keys(samples) as ColumnType[];

/** The answered values of column `v`, read without rounding. */
async function answered({ path }: TestTable): Promise<string[]> {
  const { text } = await send(server, `GET ${path}?limit=500`);
  const { data } = parseExactly(text) as { data: { rows: { v: unknown }[] } };
  return data.rows.map(({ v }) => canonical(v));
}

const expected = (all: readonly Sample[]) => all.map((sample) => sample.answered);

for (const type of types) {
  const several = fc.array(samples[type], { minLength: 1, maxLength: 40 });

  test(`${type}: an inserted value is answered without loss`, async () => {
    const table = await makeTable(server, { v: type, n: "integer" });
    const check = async (given: Sample[]) => {
      await table.insert(...given.map(({ sent }) => ({ v: sent, n: 1 })));
      expect(await answered(table)).toEqual(expected(given));
      await table.remove({ n: 1 });
    };
    await fc.assert(fc.asyncProperty(several, check), settings);
  });

  test(`${type}: a value in set is answered without loss, and where finds it`, async () => {
    const table = await makeTable(server, { v: type });
    const check = async (first: Sample, second: Sample) => {
      await table.insert({ v: first.sent });
      expect(await table.update({ v: first.sent }, { v: second.sent })).toBe(1);
      expect(await answered(table)).toEqual([second.answered]);
      expect(await table.remove({ v: second.sent })).toBe(1);
    };
    await fc.assert(fc.asyncProperty(samples[type], samples[type], check), settings);
  });
}

test("raw JSON text keeps every digit", async () => {
  const table = await makeTable(server, { v: "numeric", doc: "jsonb" });
  const body = `{"rows":[{"v":12345678901234567890.1200,"doc":{"n":[12345678901234567890.1200,1e400,-0.10]}}]}`;
  await send(server, `POST ${table.path}`, { body });
  const { text } = await send(server, `GET ${table.path}`);
  expect(text).toContain('"v":"12345678901234567890.1200"');
  expect(text).toContain(`12345678901234567890.1200, 1${"0".repeat(400)}, -0.10`);
});

test("keys such as __proto__ are kept next to numbers of any length", async () => {
  const table = await makeTable(server, { v: "jsonb" });
  const docs = [
    `{"__proto__": 1.10, "": 2}`,
    `{"a": {"__proto__": {"b": 12345678901234567890}}, "constructor": null}`,
    `{"rawJSON": "1", "toJSON": 1.0, "__proto__": null}`,
    `[[[{"__proto__": []}]]]`,
  ];
  await send(server, `POST ${table.path}`, { body: `{"rows":[${docs.map((doc) => `{"v":${doc}}`)}]}` });
  expect(await answered(table)).toEqual(docs.map((doc) => canonical(parseExactly(doc))));
});

test("up to 128 levels of nesting are kept, more are refused", async () => {
  const table = await makeTable(server, { v: "jsonb" });
  const nested = (levels: number) => `{"rows":[{"v":${"[".repeat(levels)}1.10${"]".repeat(levels)}}]}`;
  expect(await send(server, `POST ${table.path}`, { body: nested(125) })).toMatchObject({ status: 201 });
  expect(await answered(table)).toEqual([`${"[".repeat(125)}1.10${"]".repeat(125)}`]);
  for (const levels of [126, 5_000, 1_000_000])
    expect(await send(server, `POST ${table.path}`, { body: nested(levels) })).toMatchObject({
      status: 400,
      code: "invalid_json",
    });
});

test("the longest numbers work, and longer ones are refused quickly", async () => {
  const table = await makeTable(server, { v: "numeric" });
  const longest = `${"9".repeat(131_072)}.${"7".repeat(16_383)}`;
  await table.insert({ v: exactly(longest) });
  expect(await answered(table)).toEqual([JSON.stringify(longest)]);
  const since = performance.now();
  const rowsOf = (zeros: string) =>
    `{"rows":[{"v":1${zeros}1},{"v":"1${zeros}1"},{"v":0.${zeros}1},{"v":"1.${zeros}"}]}`;
  const ask = (digits: number) => send(server, `POST ${table.path}`, { body: rowsOf("0".repeat(digits)) });
  expect((await ask(150_000)).pointers).toEqual(["/rows/0/v", "/rows/1/v", "/rows/2/v", "/rows/3/v"]);
  expect(await ask(4_000_000)).toMatchObject({ status: 400, code: "invalid_json" });
  expect(performance.now() - since).toBeLessThan(5_000);
});

/** JSON texts that a type does not take. */
const refused: Readonly<Record<ColumnType, readonly string[]>> = {
  text: ["1", "1.10", "true", "{}", "[]", '["x"]'],
  integer: [
    ...["2147483648", "-2147483649", "1.5", "1e10", "1e-1", "0.0000001", "12345678901234567890", "1e400000"],
    ...['"1"', "true", "[]", "{}", '""'],
  ],
  bigint: [
    ...[
      "9223372036854775808",
      "-9223372036854775809",
      "1.5",
      "1e19",
      '"9223372036854775808"',
      '"1.0"',
      '"1e3"',
    ],
    ...['""', '" 1"', '"1 "', '"+1"', '"0x1F"', '"1_000"', '"01"', '"-"', '"١"', "true", "[]", "{}"],
  ],
  numeric: [
    ...["1e131072", "1e400000", "-1e400000", "1e-16384", "1e99999999999999999999", "1e-99999999999999999999"],
    ...[
      "0e99999999999",
      "0e-99999999999",
      '"NaN"',
      '"nan"',
      '"Infinity"',
      '"-inf"',
      '"infinity"',
      '""',
      '" 1"',
    ],
    ...['"1,5"', '".5"', '"5."', '"+1"', '"0x1F"', '"0b1"', '"1_000"', '"01"', '"1e"', "true", "[]", "{}"],
  ],
  boolean: ['"true"', '"t"', '"on"', '"yes"', '"1"', "1", "0", "1.0", '""', "[]", "{}"],
  date: [
    ...[
      '"tomorrow"',
      '"today"',
      '"now"',
      '"infinity"',
      '"-infinity"',
      '"epoch"',
      '"allballs"',
      '""',
      "20260904",
    ],
    ...[
      '"2026-02-30"',
      '"2026-02-29"',
      '"1900-02-29"',
      '"2026-13-01"',
      '"2026-00-10"',
      '"2026-04-31"',
      '"2026-1-1"',
    ],
    ...[
      '"0000-01-01"',
      '"10000-01-01"',
      '"2026-01-01 BC"',
      '"01/02/2026"',
      '"2026-01-01T00:00:00Z"',
      '"20260904"',
    ],
    ...['"2026-09-04 "', '" 2026-09-04"', '"2026-W36-5"', "true", "[]", "{}"],
  ],
  timestamp: [
    ...['"tomorrow"', '"now"', '"infinity"', '"-infinity"', '"epoch"', '""', "1788509730", "1788509730.5"],
    ...['"2026-09-04"', '"2026-09-04T08:15:30"', '"2026-09-04T08:15Z"', '"2026-09-04T08:15:30.1234567Z"'],
    ...[
      '"2026-02-30T00:00:00Z"',
      '"2026-09-04T24:00:00Z"',
      '"2026-06-30T23:59:60Z"',
      '"2026-09-04T08:60:00Z"',
    ],
    ...['"2026-09-04T08:15:30+16:00"', '"2026-09-04T08:15:30-16:00"', '"2026-09-04T08:15:30+07"'],
    ...['"2026-09-04T08:15:30+0700"', '"2026-09-04T08:15:30 Asia/Jakarta"', '"2026-09-04T08:15:30+07:60"'],
    ...['"0001-01-01T00:00:00+00:01"', '"9999-12-31T23:59:00-00:01"', '"0000-12-31T23:59:59Z"'],
    ...['"2026-09-04T08:15:30.Z"', '"2026-09-04T08:15:30,5Z"', '" 2026-09-04T08:15:30Z"', "true", "[]", "{}"],
  ],
  jsonb: ["1e131072", "[1e400000]", '{"a":[{"b":-1e400000}]}', "1e-16384", '{"a":0e99999999999}'],
};

for (const type of types)
  test(`${type}: invalid values are refused with their pointer, in rows, where and set`, async () => {
    const table = await makeTable(server, { v: type });
    const rows = refused[type].map((text) => `{"v":${text}}`);
    const answer = await send(server, `POST ${table.path}`, { body: `{"rows":[${rows}]}` });
    expect(answer).toMatchObject({ status: 400, code: "invalid_value" });
    expect(answer.pointers).toEqual(rows.map((_, index) => `/rows/${index}/v`));
    for (const row of rows.slice(0, 12)) {
      const body = `{"where":${row},"set":${row}}`;
      expect(await send(server, `PATCH ${table.path}`, { body })).toMatchObject({
        status: 400,
        pointers: ["/where/v", "/set/v"],
      });
    }
    expect(await table.rows()).toEqual([]);
  });

test("U+0000 and halves of surrogate pairs are refused with their pointer, in values and in keys", async () => {
  const table = await makeTable(server, { v: "text", doc: "jsonb" });
  const values = ['"a\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"'];
  const docs = ['["\\u0000"]', '{"a":{"\\ud800":1}}', '{"a/b":"\\udfff"}', '"\\u0000"'];
  const rows = values.map((v, index) => `{"v":${v},"doc":${docs[index]}}`);
  const answer = await send(server, `POST ${table.path}`, { body: `{"rows":[${rows}]}` });
  expect(answer.status).toBe(400);
  expect(answer.pointers).toEqual([
    ...["/rows/0/v", "/rows/0/doc/0", "/rows/1/v", "/rows/1/doc/a"],
    ...["/rows/2/v", "/rows/2/doc/a~1b", "/rows/3/v", "/rows/3/doc"],
  ]);
  const name = freshName();
  const body = `{"name":"${name}","description":"\\u0000","columns":[{"name":"a","type":"text"}]}`;
  expect(await send(server, "POST /api/v1/report/1/schema/tables", { body })).toMatchObject({
    status: 400,
    pointers: ["/description"],
  });
});
