/** Whatever is taken is stored and shown without loss, in a real database; whatever is not is told of by a fault. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Variable, Variables } from "../../../src/generated/schemas.ts";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { migrate } from "../../../src/infrastructure/database/migrate.ts";
import { parseJson } from "../../../src/infrastructure/json.ts";
import { createLog } from "../../../src/infrastructure/log.ts";
import { Problem } from "../../../src/infrastructure/problem.ts";
import {
  type DeliveryRow,
  deliveryRows,
  forDelivery,
  readContents,
  readFile,
  readVariables,
  writeVariables,
} from "../../../src/processes/engines/embedded/variableQueries.ts";
import { parseVariables } from "../../../src/processes/variables/parse.ts";
import { engineView } from "../../../src/processes/variables/show.ts";
import type { StoredVariable } from "../../../src/processes/variables/variable.ts";
import { createDatabase, type TestDatabase } from "../../support/database.ts";

setDefaultTimeout(60_000);
let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createDatabase();
  const log = createLog("silent");
  await migrate(database.url, { log });
  sql = connect(database.url);
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const storable = (text: string) => !text.includes("\0") && text.isWellFormed();
const string = fc.string({ unit: "binary", maxLength: 20 }).filter(storable);
const name = fc
  .oneof(string, fc.constantFrom("__proto__", "constructor", "toString", "0", "a"))
  .filter((text) => text !== "" && !/\p{Cc}/u.test(text));

const integer = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map(String);
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const double = fc
  .tuple(fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})$/), fc.stringMatching(/^(\.[0-9]{1,20})?$/), fc.nat(280))
  .map(([whole, fraction, power]) => `${whole}${fraction}${power % 2 ? "" : `e${power}`}`);
/** Without the escapes that no body may hold. */
const json = fc
  .jsonValue({ noUnicodeString: false })
  .map((value) => JSON.stringify(value))
  .filter((text) => !/\\u(0000|d[89a-f])/.test(text));
const file = fc.uint8Array({ maxLength: 200 }).map((bytes) => JSON.stringify(bytes.toBase64()));

const typed = (type: Variable["type"], value: fc.Arbitrary<string>) =>
  value.map((text) => `{"value":${text},"type":"${type}"}`);

/** A variable of a request as JSON text, each of its type. */
const variable = fc.oneof(
  typed(
    "String",
    string.map((text) => JSON.stringify(text)),
  ),
  typed("Integer", integer),
  typed("Long", long),
  typed("Double", double),
  typed("Boolean", fc.constantFrom("true", "false")),
  typed(
    "Json",
    json.map((text) => JSON.stringify(text)),
  ),
  typed("Date", fc.constantFrom('"2026-01-23T14:30:00.000+0200"', '"2024-02-29T00:00:00Z"', "null")),
  typed("Null", fc.constant("null")),
  fc
    .tuple(
      file,
      string.filter((text) => text !== ""),
    )
    .map(
      ([value, filename]) => `{"value":${value},"type":"File","valueInfo":${JSON.stringify({ filename })}}`,
    ),
);

const body = (values: fc.Arbitrary<string>) =>
  fc
    .uniqueArray(fc.tuple(name, values), { maxLength: 8, selector: ([key]) => key })
    .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`);

const parse = (text: string) => parseVariables({ variables: parseJson(text) });
const byName = <Value>(map: ReadonlyMap<string, Value>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

const withoutContent = ({ type, value, file }: StoredVariable) =>
  file
    ? { type, value, file: { name: file.name, mimeType: file.mimeType, size: file.size } }
    : { type, value };

test("what is written is read again, a file with its bytes", () =>
  fc.assert(
    fc.asyncProperty(body(variable), async (text) => {
      const variables = parse(text);
      const instance = crypto.randomUUID();
      await writeVariables(sql, instance, variables);
      const read = await readVariables(sql, instance);
      const expected = new Map([...variables].map(([key, value]) => [key, withoutContent(value)]));
      expect(byName(read)).toEqual(byName(expected));
      for (const [key, { file }] of variables)
        expect((await readFile(sql, { processInstanceId: instance, name: key }))?.content.toHex()).toBe(
          file?.content.toHex(),
        );
    }),
    { numRuns: 60 },
  ));

test("what a read shows can be written again, and is then the same", () => {
  fc.assert(
    fc.property(body(variable), (text) => {
      const first = new Map([...parse(text)].filter(([, { type }]) => type !== "File"));
      const second = parse(JSON.stringify(engineView(first)));
      expect(byName(second)).toEqual(byName(first));
    }),
  );
});

test("without a type a value is taken as one that gives it back, digit by digit where it is a Double or Json", () => {
  fc.assert(
    fc.property(fc.oneof(double, integer, long, json), (value) => {
      const taken = parse(`{"a":{"value":${value}}}`).get("a");
      const source = parseJson(value);
      if (taken?.type === "Double") expect(taken.value).toBe(value);
      else if (taken?.type === "Json") expect(taken.value).toBe(JSON.stringify(JSON.stringify(source)));
      else if (typeof source === "number" || JSON.isRawJSON(source))
        expect(Number(taken?.value ?? "")).toBe(Number(value) + 0);
      else expect(JSON.parse(taken?.value ?? "")).toEqual(source);
    }),
    { numRuns: 500 },
  );
});

test("whatever is sent is either stored under its type or refused with the place of its fault", () => {
  const types = fc.constantFrom(
    "String",
    "Integer",
    "Long",
    "Double",
    "Boolean",
    "Date",
    "Json",
    "Null",
    "File",
  );
  const anything = fc.oneof(
    double,
    long,
    json,
    string.map((text) => JSON.stringify(text)),
    file,
  );
  const some = fc.tuple(anything, types).map(([value, type]) => `{"value":${value},"type":"${type}"}`);
  fc.assert(
    fc.property(body(some), (text) => {
      try {
        for (const [key, { type, value }] of parse(text)) {
          expect(type).toBe((parseJson(text) as Variables)[key]?.type ?? "Null");
          JSON.parse(value);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
        for (const { pointer } of (error as Problem).errors)
          expect(pointer).toMatch(/^\/variables\/.*\/value$/su);
      }
    }),
    { numRuns: 500 },
  );
});

test("a variable that is written again has its value replaced, of whatever type it was", async () => {
  const instance = crypto.randomUUID();
  const write = (variable: string) => writeVariables(sql, instance, parse(`{"a":${variable}}`));
  await write('{"value":"aGVsbG8=","type":"File","valueInfo":{"filename":"a.txt"}}');
  await write('{"value":1.10,"type":"Double"}');
  expect([...(await readVariables(sql, instance))]).toEqual([["a", { type: "Double", value: "1.10" }]]);
  expect(await readFile(sql, { processInstanceId: instance, name: "a" })).toBeUndefined();
  await write('{"value":"","type":"File","valueInfo":{"filename":"b.txt","mimetype":"text/plain"}}');
  const file = { name: "b.txt", mimeType: "text/plain", size: 0 };
  expect([...(await readVariables(sql, instance))]).toEqual([["a", { type: "File", value: "null", file }]]);
});

test("delivery gets numbers as their text, Json as its text and an old file as base64 where it is asked for", async () => {
  const instance = crypto.randomUUID();
  const others =
    '"s":{"value":"x"},"b":{"value":true},"none":{"value":null,"type":"Long"},"j":{"value":[1.10]}';
  // PostgreSQL breaks base64 into lines.
  const content = Buffer.from("hello, ".repeat(100)).toString("base64");
  const file = `"f":{"value":"${content}","type":"File","valueInfo":{"filename":"a.txt"}}`;
  await writeVariables(sql, instance, parse(`{"n":{"value":9223372036854775807},${others},${file}}`));
  const [row] = await sql<{ rows: DeliveryRow[] }[]>`
    select ${deliveryRows(sql, "i.id")} as rows from (select ${instance}::uuid as id) i`;
  expect(forDelivery(row?.rows ?? null)).toEqual({
    n: { type: "Long", value: "9223372036854775807" },
    s: { type: "String", value: "x" },
    b: { type: "Boolean", value: true },
    none: { type: "Long", value: null },
    j: { type: "Json", value: "[1.10]" },
    f: { type: "File", value: null },
  });
  expect(await readContents(sql, instance, ["f", "s", "none", "other"])).toEqual({
    f: { type: "File", value: content },
  });
});

test("a thousand variables are written in one statement; another instance has none of them", async () => {
  const instance = crypto.randomUUID();
  const many = Array.from({ length: 1_000 }, (_, index) => `"v${index}":{"value":${index}}`).join(",");
  await writeVariables(sql, instance, parse(`{${many}}`));
  expect((await readVariables(sql, instance)).size).toBe(1_000);
  expect((await readVariables(sql, crypto.randomUUID())).size).toBe(0);
});
