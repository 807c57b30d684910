import { expect, test } from "bun:test";
import fc from "fast-check";
import { CsvRewriter, csvLine, withoutFormula } from "../../src/infrastructure/csv.ts";

const utf8 = new TextEncoder();

/** What the rewriter makes of a text that arrives in pieces. */
function rewritten(text: string, isMoment: readonly boolean[], pieces: readonly number[]): string {
  const rewriter = new CsvRewriter(isMoment, 16);
  const bytes = utf8.encode(text);
  let out = "";
  const decoder = new TextDecoder();
  let at = 0;
  for (const size of [...pieces, bytes.length]) {
    rewriter.add(bytes.subarray(at, at + size));
    at += size;
    out += decoder.decode(rewriter.take(), { stream: true });
  }
  return out;
}

test("a line has quotes where they are needed, and tells null from an empty text", () => {
  expect(csvLine(["a", null, "", 'x "y"', "1,2", "l\nm", "\r", " "])).toBe(
    'a,,"","x ""y""","1,2","l\nm","\r", \r\n',
  );
});

test("texts that a spreadsheet would run get an apostrophe", () => {
  for (const text of ["=1", "+1", "-1", "@a", "\ta", "\ra"]) expect(withoutFormula(text)).toBe(`'${text}`);
  for (const text of ["", "a=1", "1-1", " =1", "'=1"]) expect(withoutFormula(text)).toBe(text);
});

test("moments of COPY become RFC 3339 with microseconds", () => {
  const moments = "2026-09-04 08:15:30+00,2026-09-04 08:15:30.5+00,,2026-09-04 08:15:30.123456+00\n";
  const expected = "2026-09-04T08:15:30.000000Z,2026-09-04T08:15:30.500000Z,,2026-09-04T08:15:30.123456Z\r\n";
  for (let size = 1; size < moments.length; size++)
    expect(rewritten(moments, [true, true, true, true], Array(moments.length).fill(size))).toBe(expected);
});

test("lines end with CRLF, and line breaks in quotes stay, however the bytes arrive", () => {
  const cell = fc.oneof(
    fc.constantFrom("", '""', "plain", '"a\nb"', '"a\r\nb"', '"x ""y"", z"', '"\n"', "ä"),
    fc.constant("2026-09-04 08:15:30.5+00"),
  );
  const lines = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });
  const pieces = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 20 });
  fc.assert(
    fc.property(lines, pieces, (rows, sizes) => {
      const text = rows.map((cells) => `${cells.join(",")}\n`).join("");
      const expected = rows.map((cells) => `${cells.join(",")}\r\n`).join("");
      expect(rewritten(text, [false, false], sizes)).toBe(expected);
    }),
    { seed: 20260904, numRuns: 300 },
  );
});
