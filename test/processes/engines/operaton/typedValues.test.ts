/** Values between the engine's REST interface and service tasks. */
import { expect, test } from "bun:test";
import {
  engineValues,
  typedValueOf,
} from "../../../../src/processes/engines/operaton/serviceTasks/typedValues.ts";

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
