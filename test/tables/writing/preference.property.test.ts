/** The header `Prefer`, as RFC 7240 writes it. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { returnPreference } from "../../../src/tables/writing/preference.ts";

test("the first return preference counts, however it is written", () => {
  for (const header of [
    "return=representation",
    "Return = representation",
    'respond-async, return="representation"; x=1, return=minimal',
    'note="a, return=minimal; b", return=representation',
    'note="a \\" , return=minimal", return=representation',
    ",, return=representation,",
  ])
    expect(returnPreference(header)).toBe("representation");
  expect(returnPreference("return=minimal, return=representation")).toBe("minimal");
});

test("a return preference that Waybill does not know counts as none", () => {
  for (const header of [
    "",
    "return",
    "return=",
    "return=all",
    "return=Representation",
    "returns=minimal",
    '"return=minimal"',
  ])
    expect(returnPreference(header)).toBeUndefined();
  expect(returnPreference("return=all, return=minimal")).toBeUndefined();
});

test("every text is read, and a preference is found among any others", () => {
  const token = fc.stringMatching(/^[a-z]{1,8}$/).filter((name) => name !== "return");
  const quoted = fc.string({ maxLength: 10 }).map((text) => JSON.stringify(text));
  const other = fc.tuple(token, fc.oneof(token, quoted)).map(([name, value]) => `${name}=${value}`);
  fc.assert(
    fc.property(fc.array(other, { maxLength: 5 }), fc.array(other, { maxLength: 5 }), (before, after) => {
      const header = [...before, "return=minimal", ...after].join(", ");
      expect(returnPreference(header)).toBe("minimal");
    }),
  );
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void returnPreference(text)));
});

test("a long header takes linear time", () => {
  const began = performance.now();
  for (const text of ['"', "\\", '"\\', ",", "=", 'a="', ";"]) returnPreference(text.repeat(100_000));
  expect(performance.now() - began).toBeLessThan(2_000);
});
