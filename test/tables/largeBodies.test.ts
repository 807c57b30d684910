/** The largest bodies are checked nearly as fast as they are written, and their answers have few faults. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { columnTypes } from "../../src/tables/columnTypes/index.ts";
import { builtInColumns, type Definition } from "../../src/tables/definition.ts";
import { rowFaults } from "../../src/tables/values.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { makeTable, send, type TestTable } from "../support/tables.ts";

setDefaultTimeout(120_000);
let server: TestServer;
let table: TestTable;
beforeAll(async () => {
  server = await startServer();
  table = await makeTable(server, { n: "integer", j: "jsonb" });
});
afterAll(() => server.stop());

const unknown = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"u${index.toString(36)}":1`).join(",")}}`;

test.each([
  ["POST", (columns: string) => `{"rows":[${columns}]}`],
  ["PATCH", (columns: string) => `{"where":{"n":1},"set":${columns}}`],
  ["PATCH", (columns: string) => `{"where":${columns},"set":{"n":1}}`],
  ["DELETE", (columns: string) => `{"where":${columns}}`],
])("%s with many unknown columns answers 400 with at most a hundred faults", async (method, bodyOf) => {
  const ask = (count: number) => send(server, `${method} ${table.path}`, { body: bodyOf(unknown(count)) });
  const few = await ask(1_500);
  expect({ status: few.status, code: few.code }).toEqual({ status: 400, code: "unknown_column" });
  expect(few.pointers.length).toBe(100);
  const many = await ask(900_000);
  expect({ status: many.status, code: many.code }).toEqual({ status: 400, code: "invalid_body" });
  expect(many.pointers.length).toBe(1);
});

test("a column name of megabytes is not repeated in the answer", async () => {
  const answer = await send(server, `POST ${table.path}`, { body: `{"rows":[{"${"x".repeat(8e6)}":1}]}` });
  expect({ status: answer.status, code: answer.code }).toEqual({ status: 400, code: "invalid_body" });
  expect(answer.text.length).toBeLessThan(2_000);
});

const milliseconds = (work: () => unknown) => {
  const at = performance.now();
  work();
  return performance.now() - at;
};

test("millions of numbers in jsonb are checked about as fast as they are written", () => {
  for (const digits of ["1.10", "12.0e0", "0.00001"]) {
    const numbers = { a: Array.from({ length: 3_000_000 }, () => JSON.rawJSON(digits)) };
    const writing = milliseconds(() => JSON.stringify(numbers));
    const checking = milliseconds(() => {
      expect(columnTypes.jsonb.accepts(numbers)).toBe(true);
      expect(columnTypes.jsonb.growth?.(numbers)).toBeLessThan(1);
    });
    expect(checking / writing).toBeLessThan(12);
  }
});

test("counting the growth of numbers stops at the limit", () => {
  const numbers = Array.from({ length: 3_000_000 }, () => 1e-7);
  const writing = milliseconds(() => JSON.stringify(numbers));
  expect(milliseconds(() => columnTypes.jsonb.growth?.(numbers)) / writing).toBeLessThan(12);
});

test("a text with too many digits is refused in linear time", () => {
  for (const type of ["integer", "bigint", "numeric"] as const)
    for (const text of [
      "1".repeat(32e6),
      `1${"0".repeat(32e6)}`,
      `1e${"9".repeat(32e6)}`,
      `-${"1".repeat(32e6)}`,
    ])
      expect(milliseconds(() => expect(columnTypes[type].accepts(text)).toBe(false))).toBeLessThan(3_000);
});

test("rows with their columns in another order than the first row are checked as fast", () => {
  const names = Array.from({ length: 1_500 }, (_, index) => `c${index}`);
  const columns = names.map((name) => ({ name, type: "text" as const, nullable: true }));
  const definition: Definition = {
    id: 1,
    tenant: { id: 1, slug: "a", schema: "tenant_1" },
    name: "t",
    columns,
    version: 1,
    indexes: [],
    nullable: new Set(names),
    types: new Map([
      ...Object.entries(builtInColumns),
      ...names.map((name) => [name, columnTypes.text] as const),
    ]),
  };
  const rowOf = (order: readonly string[]) => Object.fromEntries(order.map((name) => [name, null]));
  const rows = [rowOf(names), ...Array.from({ length: 1_000 }, () => rowOf(names.toReversed()))];
  const writing = milliseconds(() => JSON.stringify(rows));
  expect(milliseconds(() => expect(rowFaults(definition, rows)).toEqual([])) / writing).toBeLessThan(60);
});
