/** src/infrastructure/json.ts for every JSON text, and for every text that is none. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { maxDepth, parseJson, parseJsonInTurns } from "../../src/infrastructure/json.ts";
import { Problem } from "../../src/infrastructure/problem.ts";

const storable = (text: string) => !text.includes("\0") && text.isWellFormed();
const string = fc.string({ unit: "binary", maxLength: 12 }).filter(storable);
/** Keys that look like an array's index come first in JavaScript, whatever their order was. */
const key = fc
  .oneof(string, fc.constantFrom("__proto__", "constructor", "toString", "", "a", "b"))
  .filter((text) => !/^\d+$/.test(text));

const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,30})$/);
const fraction = fc.oneof(fc.constant(""), fc.stringMatching(/^\.[0-9]{1,30}$/));
const exponent = fc.oneof(fc.constant(""), fc.stringMatching(/^[eE][+-]?[0-9]{1,3}$/));
/** A number as somebody may write it, such as -0.10e+007. */
const number = fc.tuple(fc.constantFrom("", "-"), digits, fraction, exponent).map((parts) => parts.join(""));

/** A compact JSON text, with its numbers as they were written. */
const { document } = fc.letrec<{ document: string }>((tie) => ({
  document: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      number,
      string.map((text) => JSON.stringify(text)),
      fc.constantFrom("true", "false", "null"),
    ),
    fc.array(tie("document"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(fc.tuple(key, tie("document")), { maxLength: 5, selector: ([name]) => name })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`),
  ),
}));

const problemOf = (text: string): Problem | undefined => {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
};

test("what is parsed and written again is the same text: no digit, key or order is lost", () => {
  fc.assert(fc.property(document, (text) => expect(JSON.stringify(parseJson(text))).toBe(text)));
});

test("white space between tokens changes nothing", () => {
  const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 5 }), space, (numbers, gap) => {
      const text = `${gap}[${gap}${numbers.join(`${gap},${gap}`)}${gap}]${gap}`;
      expect(JSON.stringify(parseJson(text))).toBe(`[${numbers.join(",")}]`);
    }),
  );
});

test("it agrees with the built-in parser on what a double holds", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      // 1e+21 and -0 are written by JavaScript in another way than they are read.
      if (storable(text) && !/e\+|\\u|-0\b/.test(text)) expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("a text is refused as not JSON exactly when the built-in parser refuses it, and by a Problem", () => {
  const anything = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...'{}[],:"\\u0dn1.-+eE \ntrue') }),
    fc.tuple(document, fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + 1);
    }),
  );
  fc.assert(
    fc.property(anything, (text) => {
      const refusal = problemOf(text)?.code;
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      if (!valid) expect(refusal).toBe("invalid_json");
      else if (refusal === "invalid_json") expect(problemOf(text)?.message).toContain("appears twice");
      else expect([undefined, "invalid_body"]).toContain(refusal);
    }),
    { numRuns: 1_000 },
  );
});

/** The key with some of its characters written as escapes. */
const respelled = (name: string) => `"${[...name].map(escaped).join("")}"`;

const escaped = (char: string) =>
  char < "\u0080" ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : char;

test("a repeated key is always found: whatever its values, its place and its spelling", () => {
  const shell = fc.constantFrom(
    (inner: string) => inner,
    (inner: string) => `[1.10,${inner}]`,
    (inner: string) => `{"around":${inner},"n":0.0}`,
  );
  fc.assert(
    fc.property(key, document, document, fc.boolean(), shell, (name, first, second, equal, wrap) => {
      const spelled = name === "" ? '""' : respelled(name);
      const text = wrap(
        `{${JSON.stringify(name)}:${first},"between":1,${spelled}:${equal ? first : second}}`,
      );
      expect(problemOf(text)?.code).toBe("invalid_json");
    }),
  );
});

test("text that cannot be stored is always found, with its place", () => {
  const bad = fc.constantFrom("\\u0000", "\\ud800", "\\udfff", "\\udc00\\ud800");
  fc.assert(
    fc.property(string, bad, string, (before, written, after) => {
      const quoted = `${JSON.stringify(before).slice(0, -1)}${written}${JSON.stringify(after).slice(1)}`;
      expect(problemOf(`{"a":[0,${quoted}]}`)).toMatchObject({
        code: "invalid_body",
        errors: [{ pointer: "/a/1" }],
      });
      expect(problemOf(`{${quoted}:1.10}`)?.code).toBe("invalid_body");
    }),
  );
});

test("nesting is taken to 128 levels and refused beyond, in any mixture", () => {
  const opening = fc.constantFrom<string[]>(["[", "]"], ['{"a":', "}"]);
  fc.assert(
    fc.property(fc.array(opening, { minLength: maxDepth + 1, maxLength: maxDepth + 1 }), (levels) => {
      const nested = (parts: string[][]) =>
        parts.map(([open]) => open).join("") +
        "1.10" +
        parts
          .map(([, close]) => close)
          .reverse()
          .join("");
      expect(problemOf(nested(levels))?.code).toBe("invalid_json");
      expect(problemOf(nested(levels.slice(1)))).toBeUndefined();
    }),
    { numRuns: 20 },
  );
});

/** Stops after each look at the clock. */
const inTurns = (text: string, pause = async () => {}) => parseJsonInTurns(text, { turnMs: 0, pause });

test("read in turns, each text has the same value or the same kind of refusal", async () => {
  const text = fc.oneof(
    document,
    fc.array(document, { minLength: 300, maxLength: 600 }).map((items) => `[${items.join(",")}]`),
    fc.string({ unit: fc.constantFrom(...'{}[],:"\\u0dn1.-+eE \ntrue') }),
  );
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      const refusal = problemOf(given)?.code;
      const outcome = await inTurns(given).catch((error: Problem) => error);
      if (refusal !== undefined) expect(outcome).toMatchObject({ code: refusal });
      else expect(JSON.stringify(outcome)).toBe(JSON.stringify(parseJson(given)));
    }),
    { numRuns: 300 },
  );
});

const size = 8 * 1024 ** 2;
const filled = (unit: string) => `[${unit.repeat(size / unit.length).slice(0, -1)}]`;

test.each([
  ["empty objects", filled("{},")],
  ["deep arrays", filled(`${"[".repeat(120)}${"]".repeat(120)},`)],
  ["exact numbers", filled("1.10,")],
  ["short numbers", filled("1,")],
  ["different keys", `{${Array.from({ length: 600_000 }, (_, i) => `"key${i}":1`).join(",")}}`],
  ["one number", `[${"7".repeat(size)}]`],
  ["one string of escapes", `["${"\\\\".repeat(size / 2)}"]`],
  ["blanks", `${" ".repeat(size)}[]`],
])("8 MiB of %s are read, or refused, in short turns", async (_what, text) => {
  // Of this thread alone: other processes of the machine take their time as well.
  const { threadCpuUsage } = process as typeof process & { threadCpuUsage(): { user: number } };
  const now = () => threadCpuUsage().user / 1_000;
  let [since, longest] = [now(), 0];
  const look = () => {
    longest = Math.max(longest, now() - since);
    since = now();
  };
  const pause = async () => {
    look();
    await new Promise(setImmediate);
    since = now();
  };
  await parseJsonInTurns(text, { turnMs: 10, pause }).catch((error) => {
    expect(error).toBeInstanceOf(Problem);
    expect(error.code).toBe("invalid_json");
  });
  look();
  // The built-in parser takes a second and more for the worst of them.
  expect(longest).toBeLessThan(400);
});

test.each([
  ["values", `[${"1,".repeat(4_000_000)}1]`],
  ["objects and arrays", `[${"{},".repeat(1_000_000)}{}]`],
  ["numbers such as 1.10", `[${"1.10,".repeat(300_000)}1.10]`],
  ["members", `{${Array.from({ length: 1_000_001 }, (_, i) => `"key${i}":1`).join(",")}}`],
])("more %s than any honest text has are refused", (what, text) => {
  expect(problemOf(text)).toMatchObject({ code: "invalid_json", message: expect.stringContaining(what) });
});
