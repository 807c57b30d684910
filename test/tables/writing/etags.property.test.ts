/** Lists of entity tags, as RFC 9110 writes them. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { matchesTag, parseIfMatch, rowTag, transactionsOf } from "../../../src/tables/writing/etags.ts";

const opaque = fc.stringMatching(/^[!#-~]{0,10}$/);

test("every list of tags is read, and weak tags never match", () => {
  const tag = fc.tuple(opaque, fc.boolean());
  const space = fc.constantFrom("", " ", "\t", ", ");
  fc.assert(
    fc.property(fc.array(tag, { minLength: 1, maxLength: 6 }), space, (tags, gap) => {
      const header = tags.map(([text, weak]) => `${weak ? "W/" : ""}"${text}"`).join(`${gap},${gap}`);
      const strong = tags.filter(([, weak]) => !weak).map(([text]) => `"${text}"`);
      expect(parseIfMatch(header)).toEqual(strong);
      for (const [text] of tags)
        expect(matchesTag(parseIfMatch(header), `"${text}"`)).toBe(strong.includes(`"${text}"`));
    }),
  );
});

test("any other text is refused, in linear time", () => {
  for (const text of ["a", '"', '"a', "W/", '"a""b"', '"a" "b"', "*,", '* "a"'])
    expect(() => parseIfMatch(text)).toThrow();
  expect(parseIfMatch(" * ")).toBe("*");
  expect(parseIfMatch("")).toEqual([]);
  const began = performance.now();
  for (const part of [",", " ", '"', 'W/"', '"",', '" ']) {
    try {
      parseIfMatch(part.repeat(50_000));
    } catch {
      // Only the time matters.
    }
  }
  expect(performance.now() - began).toBeLessThan(2_000);
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), (text) => {
      try {
        parseIfMatch(text);
      } catch (error) {
        expect(error).toMatchObject({ code: "invalid_parameter" });
      }
    }),
  );
});

test("a row's tag names its transaction, and tags of other rows name none", () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 2n ** 63n - 1n), fc.nat(), (id, transaction) => {
      const tags = [
        rowTag(String(id), String(transaction)),
        rowTag(`${id}0`, "1"),
        '"x"',
        rowTag(String(id), "1'; --"),
      ];
      expect(transactionsOf(tags, String(id))).toEqual([String(transaction)]);
    }),
  );
  expect(transactionsOf("*", "1")).toBeUndefined();
  expect(transactionsOf(undefined, "1")).toBeUndefined();
});
