import { expect, test } from "bun:test";
import fc from "fast-check";
import { arrayTypes } from "../../../src/infrastructure/database/arrayTypes.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "NULL", "null", ",", "{}", '"', "\\", "a\nb"),
);

test("a list of texts comes back as it was sent", () => {
  fc.assert(
    fc.property(fc.array(fc.option(text)), (items) => {
      const { serialize, parse } = arrayTypes.texts;
      expect(parse(serialize(items))).toEqual(items);
    }),
  );
});

test("items that PostgreSQL does not quote are read too", () => {
  expect(arrayTypes.texts.parse('{a,"b c",NULL,"NULL"}')).toEqual(["a", "b c", null, "NULL"]);
  expect(arrayTypes.integers.parse("{1,-2,NULL}")).toEqual([1, -2, null]);
  expect(arrayTypes.uuids.parse("{}")).toEqual([]);
});
