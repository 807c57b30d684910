/** Values on their way to the engine and back. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseJson } from "../../../../src/infrastructure/json.ts";
import {
  engineValues,
  fromEngine,
  toEngine,
  typedValueOf,
  utcText,
} from "../../../../src/processes/engines/operaton/engineVariables.ts";
import type { StoredVariable } from "../../../../src/processes/variables/variable.ts";

/** As the engine would answer what it was sent. */
function roundTrip(variable: StoredVariable) {
  const sent = JSON.stringify(toEngine(new Map([["v", variable]])));
  const { v } = parseJson(sent) as { v: { type: string; value: unknown } };
  return fromEngine("v", v);
}

const stored = fc.oneof(
  fc
    .string({ unit: "grapheme", maxLength: 9_000 })
    .map((text) => ({ type: "String", value: JSON.stringify(text) })),
  fc.json().map((text) => ({ type: "Json", value: JSON.stringify(text) })),
  fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((number) => ({ type: "Long", value: String(number) })),
  fc.integer().map((number) => ({ type: "Integer", value: String(number) })),
  fc.boolean().map((value) => ({ type: "Boolean", value: String(value) })),
  fc.constantFrom("String", "Long", "Json", "Date", "Null").map((type) => ({ type, value: "null" })),
) as fc.Arbitrary<StoredVariable>;

test("each value comes back as it was", () => {
  fc.assert(fc.property(stored, (variable) => expect(roundTrip(variable)).toEqual(variable)));
});

test("a moment is sent in the engine's form, and is the same moment afterwards", () => {
  const date = fc.date({ min: new Date("1970-01-01Z"), max: new Date("9999-12-31Z"), noInvalidDate: true });
  const offset = fc.constantFrom("Z", "+02:00", "-0530", "+0000");
  fc.assert(
    fc.property(date, offset, (moment, zone) => {
      const text = moment.toISOString().replace("Z", zone);
      const { v } = toEngine(new Map([["v", { type: "Date", value: JSON.stringify(text) }]]));
      expect(v?.value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
      const standard = text.replace(/([+-]\d\d)(\d\d)$/, "$1:$2");
      expect(Date.parse(utcText(String(v?.value)))).toBe(Date.parse(standard));
    }),
  );
});

test("a file is base64 with mimeType, and its size is not lost", () => {
  const content = new Uint8Array([1, 2, 3]);
  const file = { name: "a.bin", mimeType: "application/x-thing", size: 3, content };
  expect(toEngine(new Map([["v", { type: "File", value: "null", file }]]))).toEqual({
    v: { type: "File", value: "AQID", valueInfo: { filename: "a.bin", mimeType: "application/x-thing" } },
  });
  const answer = {
    type: "File",
    value: null,
    valueInfo: { filename: "a.bin", mimeType: "application/x-thing" },
  };
  expect(fromEngine("v", answer, 3).file).toEqual({
    name: "a.bin",
    mimeType: "application/x-thing",
    size: 3,
  });
});

test.each([
  [{ type: "Object", value: "{}", valueInfo: { serializationDataFormat: "application/json" } }, "Json"],
  [
    { type: "Object", value: "rO0AB", valueInfo: { serializationDataFormat: "application/x-java" } },
    "String",
  ],
  [{ type: "Xml", value: "<a/>" }, "String"],
  [{ type: "Short", value: 3 }, "Integer"],
  [{ type: "Something", value: "x" }, "String"],
  [{ type: "Bytes", value: null }, "File"],
] as const)("%p is shown as %p", (value, type) => {
  expect(fromEngine("v", value).type).toBe(type);
});

test("a Json of another client that is no JSON is shown as the engine keeps it", () => {
  for (const value of [`"${"x".repeat(4_100)}`, `"a", ${"x".repeat(4_100)}`, "{nope", '"']) {
    expect(fromEngine("v", { type: "Json", value })).toEqual({ type: "Json", value: JSON.stringify(value) });
    expect(typedValueOf({ type: "Json", value })).toEqual({ type: "Json", value });
  }
});

test("a type that the engine has and Waybill has not becomes the nearest one, or no value", () => {
  const json = { serializationDataFormat: "application/json" };
  expect(typedValueOf({ type: "Short", value: 3 })).toEqual({ type: "Integer", value: 3 });
  expect(typedValueOf({ type: "Xml", value: "<a/>" })).toEqual({ type: "String", value: "<a/>" });
  expect(typedValueOf({ type: "Bytes", value: null })).toEqual({ type: "File", value: null });
  expect(typedValueOf({ type: "Object", value: "{}", valueInfo: json })).toEqual({
    type: "Json",
    value: "{}",
  });
  expect(typedValueOf({ type: "Object", value: "rO0A", valueInfo: {} })).toBeUndefined();
});

test("a text that the engine's String cannot hold goes there and back as Json", () => {
  for (const value of ["x".repeat(4_001), `\0${"x".repeat(4_000)}`]) {
    const { long } = engineValues({ long: { type: "String", value } });
    expect(long).toEqual({ type: "Json", value: JSON.stringify(value) });
    expect(typedValueOf({ type: "Json", value: long?.value })).toEqual({ type: "String", value });
  }
  const fits = { type: "String", value: "x".repeat(4_000) } as const;
  expect(engineValues({ fits })).toEqual({ fits });
});

test("a service task sends what a request sends, and reads what a list shows", () => {
  fc.assert(
    fc.property(stored, ({ type, value }) => {
      const sent = toEngine(new Map([["v", { type, value }]]));
      const plain = /^-?\d/.test(value) ? JSON.rawJSON(value) : JSON.parse(value);
      expect(engineValues({ v: { type, value: plain } })).toEqual(sent as never);
      const { v } = parseJson(JSON.stringify(sent)) as { v: { type: string; value: unknown } };
      expect(typedValueOf(v)?.type).toBe(fromEngine("v", v).type);
    }),
  );
  const moment = { type: "Date", value: "2026-11-22T06:00:00+02:00" } as const;
  expect(engineValues({ moment }).moment?.value).toBe("2026-11-22T04:00:00.000+0000");
});
