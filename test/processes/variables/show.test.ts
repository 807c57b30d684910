import { expect, test } from "bun:test";
import { engineView, plainValues, readView } from "../../../src/processes/variables/show.ts";
import type { ShownVariable } from "../../../src/processes/variables/variable.ts";

const shown = (variables: Record<string, ShownVariable>) => new Map(Object.entries(variables));
const text = (value: unknown): ShownVariable => ({ type: "String", value: JSON.stringify(value) });
const json = (source: string): ShownVariable => ({ type: "Json", value: JSON.stringify(source) });
const instance = { processKey: "loan", processInstanceId: "4d2f" };
const id = "0b5c3c5e-8a52-4d5e-9d5a-2f7f5d1c9a10";

test("every digit is shown, to an engine's clients as in tasklist and reports", () => {
  const numbers = shown({
    long: { type: "Long", value: "9223372036854775807" },
    double: { type: "Double", value: "-1.10" },
    json: json("[1.10]"),
    date: { type: "Date", value: '"2026-01-23T14:30:00.000+0200"' },
    none: { type: "Long", value: "null" },
  });
  const written =
    '{"long":{"type":"Long","value":9223372036854775807},"double":{"type":"Double","value":-1.10},' +
    '"json":{"type":"Json","value":"[1.10]"},"date":{"type":"Date","value":"2026-01-23T14:30:00.000+0200"},' +
    '"none":{"type":"Long","value":null}}';
  expect(JSON.stringify(readView(numbers, instance))).toBe(written);
  expect(JSON.stringify(engineView(numbers)).replaceAll(',"valueInfo":{}', "")).toBe(written);
});

test("an old file is the path of its download, with every name in it encoded", () => {
  const file = { name: "a/b.txt", mimeType: "text/plain", size: 5 };
  const variables = shown({ "a/ü ?#%": { type: "File", value: "null", file } });
  const value = "/l%C3%B6an%2F../download/4d2f/a%2F%C3%BC%20%3F%23%25";
  expect(readView(variables, { ...instance, processKey: "löan/.." })).toEqual({
    "a/ü ?#%": { type: "File", value, filename: "a/b.txt", size: 5 },
  });
  expect(engineView(variables)).toEqual({
    "a/ü ?#%": { type: "File", value: null, valueInfo: { filename: "a/b.txt", mimeType: "text/plain" } },
  });
});

test.each([
  ["all of it", { attachment_id: id, file_name: "a.pdf", mime_type: "application/pdf", size: 9 }],
  ["under id", { id: id.toUpperCase(), file_name: "a.pdf", mime_type: "application/pdf", size: 9 }],
])("attachment metadata is the absolute path of its download: %s", (_, metadata) => {
  const value = `/api/v1/probis/form-attachments/${id}/download`;
  const rest = { value, filename: "a.pdf", size: 9, mime_type: "application/pdf" };
  const variables = shown({ text: text(JSON.stringify(metadata)), json: json(JSON.stringify(metadata)) });
  expect(readView(variables, instance)).toEqual({
    text: { type: "String", ...rest },
    json: { type: "Json", ...rest },
  });
  expect(engineView(variables).text?.value).toBe(JSON.stringify(metadata));
});

test("a size or a type of metadata that is not valid is not shown", () => {
  for (const odd of [{}, { size: "9", mime_type: 5 }, { size: 1.5, mime_type: null }, { size: [] }]) {
    const variables = shown({ a: text(JSON.stringify({ id, file_name: "a.pdf", ...odd })) });
    expect(Object.keys(readView(variables, instance).a ?? {})).toEqual(["type", "value", "filename"]);
  }
});

test("a text that only looks like metadata is shown as it is", () => {
  for (const value of ["", "{", "{}", `{"id":"${id}"}`, `{"id":"x","file_name":"a"}`, `[{"id":"${id}"}]`])
    expect(readView(shown({ a: text(value) }), instance).a).toEqual({ type: "String", value });
});

test("conditions see plain values: Json parsed, dates as moments, whole numbers beyond 2^53 as bigint", () => {
  const variables = shown({
    amount: { type: "Integer", value: "12" },
    long: { type: "Long", value: "9007199254740993" },
    small: { type: "Long", value: "9007199254740991" },
    json: json('{"a":[1]}'),
    word: json('"word"'),
    empty: { type: "Json", value: "null" },
    due: { type: "Date", value: '"2026-01-23T14:30:00.000+0200"' },
    until: { type: "Date", value: '"2026-01-23T14:30:00.123456789-05:30"' },
    noDate: { type: "Date", value: "null" },
    text: text("[1]"),
    file: { type: "File", value: "null", file: { name: "a", mimeType: "b", size: 1 } },
  });
  variables.set("__proto__", text("own"));
  expect(plainValues(variables)).toEqual(
    Object.fromEntries<unknown>([
      ["amount", 12],
      ["long", 9007199254740993n],
      ["small", 9007199254740991],
      ["json", { a: [1] }],
      ["word", "word"],
      ["empty", null],
      ["due", new Date("2026-01-23T12:30:00Z")],
      ["until", new Date("2026-01-23T20:00:00.123Z")],
      ["noDate", null],
      ["text", "[1]"],
      ["file", null],
      ["__proto__", "own"],
    ]),
  );
});
