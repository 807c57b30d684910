import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { ColumnType } from "../../../src/generated/schemas.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send, type TestTable } from "../../support/tables.ts";
import { type Sample, samples } from "../../support/values.ts";

setDefaultTimeout(60_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const settings = { seed: 20260904, numRuns: 25 };
const types = Object.keys(samples) as ColumnType[];
const columnOf = (type: ColumnType) => `c_${type}`;
const columns = Object.fromEntries(types.map((type) => [columnOf(type), type]));
const builtIn = "?$skip=id,created_at,updated_at";

const exported = async (table: TestTable, type: string) =>
  (await server.request(table.path, { headers: { Accept: type } })).text();
const imported = (table: TestTable, body: string | Uint8Array, type: string, query = "") =>
  server.request(`${table.path}${query}`, {
    method: "POST",
    body: body as BodyInit,
    headers: { "Content-Type": type },
  });

/** The list's text without what each table gives its rows. */
const listed = async (table: TestTable) =>
  (await send(server, `GET ${table.path}?limit=500`)).text
    .replaceAll(/"id":"\d+","created_at":"[^"]*","updated_at":"[^"]*"/g, "")
    .replace(/"message":"[^"]*"/, "");

const cell = (type: ColumnType) =>
  fc.option(samples[type].filter(hasNoNull(type)), { nil: undefined, freq: 6 });
/** A JSON null in a column is a row without a value. */
const hasNoNull = (type: ColumnType) => (sample: Sample) => type !== "jsonb" || sample.sent !== null;
const row = fc.record(Object.fromEntries(types.map((type) => [columnOf(type), cell(type)])));

for (const type of ["text/csv", "application/x-ndjson"])
  test(`${type}: rows that are exported and imported are the same`, async () => {
    const [from, to] = [await makeTable(server, columns), await makeTable(server, columns)];
    const check = async (rows: Record<string, Sample | undefined>[]) => {
      const all = rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, sample]) => [name, sample ? sample.sent : null])),
      );
      await from.insert(...all.map((row) => ({ ...row })));
      const answer = await imported(to, await exported(from, type), type, builtIn);
      expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)]);
      expect(await listed(to)).toBe(await listed(from));
      for (const table of [from, to]) await server.sql.unsafe(`delete from tenant_1.${table.name}`);
    };
    await fc.assert(fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), check), settings);
  });

/** Bytes that look like CSV, most of the time. */
const bytes = fc
  .array(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.constantFrom('"', '""', ",", ";", "\n", "\r\n", "\r", "a", "1", "-", "\\", "\t", "é"),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.from(parts.join("")));

test("any bytes are rows or faults, never a failure", async () => {
  const table = await makeTable(server, { s: "text", n: "integer", j: "jsonb" });
  const check = async (given: Uint8Array, header: string, type: string) => {
    const { status } = await imported(
      table,
      Buffer.concat([Buffer.from(header), given]),
      type,
      "?$dry_run=true",
    );
    expect([200, 400]).toContain(status);
  };
  const headers = fc.constantFrom("", "s,n,j\n", "s;n;j\r\n", '"s"\n', "n\n", '{"s":"","n":1,"j":null}\n');
  const formats = fc.constantFrom("text/csv", "application/x-ndjson");
  const any = fc.oneof(bytes, fc.uint8Array({ maxLength: 60 }));
  await fc.assert(fc.asyncProperty(any, headers, formats, check), { ...settings, numRuns: 250 });
});

test("text cells are what a writer of CSV put in, whatever line ends and quotes", async () => {
  const table = await makeTable(server, { a: "text", b: "text" });
  const text = fc.option(
    fc
      .string({ unit: "binary", maxLength: 30 })
      .filter((value) => !value.includes("\0") && value.isWellFormed()),
    { nil: null },
  );
  const check = async (rows: [string | null, string | null][], end: string, delimiter: string) => {
    const quoted = (value: string | null) => (value === null ? "" : `"${value.replaceAll('"', '""')}"`);
    const lines = [["a", "b"].join(delimiter), ...rows.map((cells) => cells.map(quoted).join(delimiter))];
    expect((await imported(table, lines.join(end), "text/csv")).status).toBe(201);
    expect(await table.values()).toEqual(rows.map(([a, b]) => ({ a, b })));
    await server.sql.unsafe(`delete from tenant_1.${table.name}`);
  };
  const rows = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom("\n", "\r\n", "\r"), fc.constantFrom(",", ";"), check),
    { ...settings, numRuns: 60 },
  );
});
