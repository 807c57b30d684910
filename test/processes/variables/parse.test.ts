import { expect, test } from "bun:test";
import { parseJson } from "../../../src/infrastructure/json.ts";
import { createLog } from "../../../src/infrastructure/log.ts";
import { Problem } from "../../../src/infrastructure/problem.ts";
import { parseVariables, storedVariables } from "../../../src/processes/variables/parse.ts";

const parse = (body: string) => parseVariables({ variables: parseJson(body) });

/** `{ value, type }` as JSON text → how it is stored, or why it is not. */
function stored(variable: string): string {
  try {
    const { type, value } = parse(`{"a":${variable}}`).get("a") ?? {};
    return `${type} ${value}`;
  } catch (error) {
    return (error as Problem).errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(" ");
  }
}

function faultsOf(body: string): Problem["errors"] {
  try {
    parse(body);
    return [];
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_variable") return error.errors;
    throw error;
  }
}

test.each([
  ['"é\\n"', '"é\\n"', "String"],
  ["true", "true", "Boolean"],
  ["null", "null", "Null"],
  ["2147483647", "2147483647", "Integer"],
  ["-2147483648", "-2147483648", "Integer"],
  ["2147483648", "2147483648", "Long"],
  ["-9223372036854775808", "-9223372036854775808", "Long"],
  ["9223372036854775808", "9223372036854775808", "Double"],
  ["1.10", "1.10", "Double"],
  ["0.99999999999999999999", "0.99999999999999999999", "Double"],
  ["1e-400", "1e-400", "Double"],
  ["7.0", "7", "Integer"],
  ["1.20e1", "12", "Integer"],
  ["100e-2", "1", "Integer"],
  ["-0", "0", "Integer"],
  ["9007199254740993.0", "9007199254740993", "Long"],
  ["[1.10,{}]", '"[1.10,{}]"', "Json"],
  ['{"a":12345678901234567890}', '"{\\"a\\":12345678901234567890}"', "Json"],
])("without a type, %s is stored as %s, a %s", (value, text, type) => {
  expect(stored(`{"value":${value}}`)).toBe(`${type} ${text}`);
});

test.each([
  ["Integer", '"12"', "12"],
  ["Long", '"9223372036854775807"', "9223372036854775807"],
  ["Long", "1e18", "1000000000000000000"],
  ["Double", "1", "1"],
  ["Double", '"-1.5e300"', "-1.5e300"],
  ["Date", '"2026-01-23T14:30:00Z"', '"2026-01-23T14:30:00Z"'],
  ["Date", '"2024-02-29T23:59:59.123456789-11:30"', '"2024-02-29T23:59:59.123456789-11:30"'],
  ["Date", '"2026-01-23T14:30:00.000+0200"', '"2026-01-23T14:30:00.000+0200"'],
  ["Json", '" [1, 2] "', '" [1, 2] "'],
  ["Json", '"\\"text\\""', '"\\"text\\""'],
  ["Json", "1.10", '"1.10"'],
  ["Json", "false", '"false"'],
  ["String", '"1"', '"1"'],
  ["Null", "null", "null"],
])("%s takes %s and keeps it as %s", (type, value, text) => {
  expect(stored(`{"value":${value},"type":"${type}"}`)).toBe(`${type} ${text}`);
});

test.each(["String", "Integer", "Long", "Double", "Boolean", "Date", "Json", "Null"])(
  "%s may have no value",
  (type) => {
    expect(stored(`{"value":null,"type":"${type}"}`)).toBe(`${type} null`);
  },
);

test.each([
  ["String", ["1", "true", "[]"]],
  ["Integer", ["2147483648", "1.5", '""', '" 1"', '"0x1"', '"1n"', "true", "1e10", "0.99999999999999999999"]],
  [
    "Long",
    ["9223372036854775808", "-9223372036854775809", "1e-400", "1e99999", '"007"', `"${"9".repeat(99)}"`],
  ],
  ["Double", ["1e999", "-1e309", '"NaN"', '"Infinity"', '"1."', '".5"', '"+1"', '""', "{}"]],
  ["Boolean", ['"true"', "1", "[]"]],
  ["Date", ['"2026-01-23"', '"2026-01-23T14:30:00"', '"2026-02-30T00:00:00Z"', '"2026-01-01T24:00:00Z"']],
  ["Date", ['"2026-13-01T00:00:00Z"', '"2026-01-01 00:00:00Z"', '"2026-01-01T00:00:00+25:00"', "0", '""']],
  ["Json", ['"{"', '""', '"undefined"', "\"{'a':1}\""]],
  ["Null", ["0", '""', "false"]],
])("a value that is not a %s is refused: %j", (type, values) => {
  for (const value of values)
    expect(stored(`{"value":${value},"type":"${type}"}`)).toStartWith(
      `/variables/a/value: The value does not have the type ${type}: `,
    );
});

test("a File has its bytes, and the name and type of its valueInfo", () => {
  const files = parse(`{
    "a":{"value":"aGVsbG8=","type":"File","valueInfo":{"filename":"a.txt","mimetype":"text/plain"}},
    "b":{"value":"","type":"File","valueInfo":{"filename":"b"}},
    "c":{"value":null,"type":"File","valueInfo":{"filename":"c"}},
    "d":{"value":"aGVsbG8=","type":"File","valueInfo":{"filename":"a.txt","mimeType":"text/plain"}}}`);
  const bytes = new TextEncoder().encode("hello");
  const text = { name: "a.txt", mimeType: "text/plain", size: 5, content: bytes };
  expect(files.get("a")).toEqual({ type: "File", value: "null", file: text });
  expect(files.get("d")).toEqual(files.get("a"));
  const empty = { mimeType: "application/octet-stream", size: 0, content: new Uint8Array() };
  expect(files.get("b")?.file).toEqual({ name: "b", ...empty });
  expect(files.get("c")?.file).toEqual({ name: "c", ...empty });
});

test.each([
  '"aGVsbG8"',
  '"aGVs bG8="',
  '"aGVs\\nbG8="',
  '"_-8="',
  '"aGVsbG9="',
  '"é"',
  '"aGVsbG8=="',
  "5",
  "{}",
])("a File's content of %s is refused", (value) => {
  const fault = stored(`{"value":${value},"type":"File","valueInfo":{"filename":"a"}}`);
  expect(fault).toBe("/variables/a/value: The content of a File is base64.");
});

test("only a File has a valueInfo, with its name; the empty valueInfo that reads show is accepted", () => {
  expect(stored('{"value":"","type":"File"}')).toContain("valueInfo");
  expect(stored('{"value":"","type":"File","valueInfo":{}}')).toContain("filename");
  expect(stored('{"value":"a","valueInfo":{"filename":"a"}}')).toContain("Only a variable of type File");
  expect(stored('{"value":"a","valueInfo":{}}')).toBe('String "a"');
});

test("all faults are reported at once, each at its variable", () => {
  const long = "n".repeat(256);
  const faults = faultsOf(`{"":{"value":1},"a/b~c":{"value":"x","type":"Long"},"ok":{"value":1},
    "tab\\t":{"value":1},"${long}":{"value":1},"\\u0085":{"value":[],"type":"String"}}`);
  expect(faults.map(({ pointer }) => pointer)).toEqual([
    "/variables/",
    "/variables/a~1b~0c/value",
    "/variables/tab\t",
    `/variables/${long}`,
    "/variables/\u0085",
    "/variables/\u0085/value",
  ]);
});

test("a name is any other text of up to 255 characters, also a name that objects inherit", () => {
  for (const name of ["n".repeat(255), "__proto__", "constructor", "ชื่อ", "a b", "0", "$1", "'--"])
    expect([...parse(`{${JSON.stringify(name)}:{"value":1}}`).keys()]).toEqual([name]);
});

test("a body without variables has none", () => {
  expect(parseVariables({}).size).toBe(0);
});

test("only a String longer than 4,000 characters is logged, without its value", () => {
  const lines: string[] = [];
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  const text = (length: number) => ({ value: "s".repeat(length) });
  const variables = { fits: text(4_000), longer: text(4_001), json: { value: ["s".repeat(5_000)] } };
  parseVariables({ variables }, { log });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "warn", variable: "longer", length: 4_001 },
  ]);
  expect(lines.join()).not.toContain("sss");
});

test("the variables that an integration returned are stored by their type; a value without its type throws", () => {
  const given = { status: 200, body: '{"a":1.10}', nothing: null };
  const variables = storedVariables({
    status: { type: "Integer", value: given.status },
    body: { type: "Json", value: given.body },
    nothing: { type: "String", value: given.nothing },
    nul: { type: "String", value: "\0\ud800" },
  });
  expect([...variables]).toEqual([
    ["status", { type: "Integer", value: "200" }],
    ["body", { type: "Json", value: '"{\\"a\\":1.10}"' }],
    ["nothing", { type: "String", value: "null" }],
    ["nul", { type: "String", value: '"\\u0000\\ud800"' }],
  ]);
  expect(() => storedVariables({ a: { type: "Integer", value: "secret" } })).toThrow(
    /^the value of "a" does not have its type/,
  );
});

test("more than a thousand variables are refused before they are checked", () => {
  const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`v${index}`, null]));
  const body = { variables: many };
  const begun = performance.now();
  expect(() => parseVariables(body)).toThrow("A request has at most 1000 variables. This one has 200000.");
  const known = Array.from({ length: 100 }, (_, index) => ({
    pointer: `/variables/v${index}`,
    detail: "No.",
  }));
  expect(() => parseVariables(body, { faults: known })).toThrow(Problem);
  expect(performance.now() - begun).toBeLessThan(1_000);
});

test("the pointer to a name that is too long is not as long as the name", () => {
  const [fault] = faultsOf(`{"${"n".repeat(100_000)}":{"value":1}}`);
  expect(fault?.pointer.length).toBeLessThan(400);
});
