/** Values that a column takes, each with the value that it answers: the model for the property tests. */
import fc from "fast-check";
import { parse } from "lossless-json";
import type { ColumnType } from "../../src/generated/schemas.ts";
import { exactly } from "./tables.ts";

export interface Sample {
  /** As JSON.stringify writes it into a body. */
  readonly sent: unknown;
  /** `canonical` of what comes back. */
  readonly answered: string;
}

const sample = (sent: unknown, answered = sent): Sample => ({ sent, answered: canonical(answered) });

/** JSON text with sorted keys, its numbers digit by digit without exponents. Equal texts are equal values. */
export function canonical(value: unknown): string {
  if (JSON.isRawJSON(value)) return plain(value.rawJSON);
  if (typeof value === "number") return plain(String(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`);
  return `{${members.sort().join(",")}}`;
}

/** Parses without rounding: every number as `exactly` makes it. */
export const parseExactly = (text: string): unknown => parse(text, undefined, { parseNumber: exactly });

/** A JSON number as PostgreSQL's numeric writes it: no exponent, every digit after the point kept, no minus zero. */
export function plain(number: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number);
  const [, sign = "", whole = "", fraction = "", power = "0"] = match ?? [];
  const scale = fraction.length - Number(power);
  const digits = whole + fraction + "0".repeat(Math.max(0, -scale));
  const padded = digits.padStart(scale + 1, "0");
  const point = scale > 0 ? padded.length - scale : padded.length;
  const left = padded.slice(0, point).replace(/^0+(?=\d)/, "");
  const text = scale > 0 ? `${left}.${padded.slice(point)}` : left;
  return /[1-9]/.test(text) ? sign + text : text;
}

const digits = (least: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most }).map((all) => all.join(""));

/** A number as JSON may write it, with up to 60 digits and an exponent up to 300. */
const numberToken = fc
  .record({
    sign: fc.constantFrom("", "-"),
    whole: digits(1, 40).map((text) => text.replace(/^0+(?=\d)/, "")),
    fraction: fc.oneof(
      fc.constant(""),
      digits(1, 20).map((text) => `.${text}`),
    ),
    power: fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      fc.integer({ min: -300, max: 300 }).map((n) => `e${n}`),
      fc.integer({ min: 0, max: 30 }).map((n) => `E+${n}`),
    ),
  })
  .map(({ sign, whole, fraction, power }) => sign + whole + fraction + power);

const edgeNumbers = [
  ...[
    "0",
    "-0",
    "0.0",
    "-0.00",
    "0e5",
    "0e-5",
    "1",
    "-1",
    "1.10",
    "0.1",
    "0.30000000000000004",
    "1e3",
    "1E+3",
  ],
  ...[
    "12345678901234567890.1200",
    "9007199254740993",
    "-9007199254740993",
    "1e-7",
    "123e-20",
    "1.7976931348623157e308",
  ],
  ...[
    "5e-324",
    "1e400",
    "-1e-400",
    "1e131071",
    "1e-16383",
    "100000000000000000000000",
    "1.0000000000000000000000001",
  ],
];
const numberTokens = fc.oneof(fc.constantFrom(...edgeNumbers), numberToken);

const storable = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "0"));
const edgeTexts = [
  ...["", " ", "null", "NULL", "\\N", "\\u0041", "{}", "[]", '"', "'", "''; drop table x; --", "$1", "%s"],
  ...[
    "\u0001\u001f\u007f\u0080",
    "\ufeff",
    "\uffff",
    "\u2028\u2029",
    "\r\n\t",
    "e\u0301",
    "👩‍👩‍👧",
    "\u{10ffff}",
  ],
];
const texts = fc.oneof(fc.constantFrom(...edgeTexts), storable);

/** Any JSON but a bare null, which means no value. Numbers are `exactly` ones; keys are anything, `__proto__` too. */
const json = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    numberTokens.map(exactly),
    texts,
    fc.boolean(),
    fc.array(fc.oneof(fc.constant(null), tie("tree")), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(
          fc.oneof(fc.constantFrom("", "__proto__", "constructor", "rawJSON", "a"), texts),
          tie("tree"),
        ),
        {
          maxLength: 4,
        },
      )
      .map((members) => Object.fromEntries(members)),
  ),
})).tree;

const whole = (least: bigint, most: bigint) =>
  fc.oneof(fc.constantFrom(least, most, 0n, -1n, 1n), fc.bigInt({ min: least, max: most }));

const days = fc.oneof(
  fc.constantFrom(
    "0001-01-01",
    "9999-12-31",
    "2000-02-29",
    "2024-02-29",
    "1900-02-28",
    "1582-10-10",
    "0099-12-31",
  ),
  fc
    .date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T00:00:00Z"),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString().slice(0, 10)),
);

const firstMs = Date.parse("0001-01-03T00:00:00Z");
const lastMs = Date.parse("9999-12-29T00:00:00Z");
const twoDigits = (n: number) => String(n).padStart(2, "0");

/** A moment in some offset's local time, with none to six digits after the second. */
const moments = fc
  .record({
    ms: fc.integer({ min: firstMs / 1000, max: lastMs / 1000 }).map((seconds) => seconds * 1000),
    micros: fc.integer({ min: 0, max: 999_999 }),
    kept: fc.integer({ min: 0, max: 9 }),
    offset: fc.integer({ min: -15 * 60 - 59, max: 15 * 60 + 59 }),
    separator: fc.constantFrom("T", "t", " "),
    zulu: fc.constantFrom("Z", "z", "+00:00", "-00:00"),
  })
  .map(({ ms, micros, kept, offset, separator, zulu }) => {
    const all = String(micros).padStart(6, "0").slice(0, kept);
    const fraction = all === "" ? "" : `.${all.padEnd(kept, "0")}`;
    const local = new Date(ms + offset * 60_000).toISOString().slice(0, 19).replace("T", separator);
    const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
    const suffix = offset === 0 ? zulu : `${offset < 0 ? "-" : "+"}${twoDigits(hours)}:${twoDigits(minutes)}`;
    const utc = new Date(ms).toISOString().slice(0, 19);
    return sample(local + fraction + suffix, `${utc}.${all.padEnd(6, "0")}Z`);
  });

/** What each column type takes and answers. */
export const samples: Readonly<Record<ColumnType, fc.Arbitrary<Sample>>> = {
  text: texts.map((text) => sample(text)),
  integer: whole(-(2n ** 31n), 2n ** 31n - 1n).chain((n) =>
    fc
      .constantFrom(`${n}`, `${n}.0`, `${n}.00E+0`, `${n}.0e-0`)
      .map((token) => sample(exactly(token), Number(n))),
  ),
  bigint: whole(-(2n ** 63n), 2n ** 63n - 1n).chain((n) =>
    fc.constantFrom(`${n}`, exactly(`${n}`), exactly(`${n}.0`)).map((sent) => sample(sent, `${n}`)),
  ),
  numeric: fc
    .tuple(numberTokens, fc.boolean())
    .map(([token, quoted]) => sample(quoted ? token : exactly(token), plain(token))),
  boolean: fc.boolean().map((value) => sample(value)),
  date: days.map((day) => sample(day)),
  timestamp: fc.oneof(
    moments,
    fc.constantFrom(
      sample("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
      sample("9999-12-31T23:59:59.999999Z"),
      sample("0001-01-01T15:59:00+15:59", "0001-01-01T00:00:00.000000Z"),
      sample("9999-12-31T08:00:59.999999-15:59", "9999-12-31T23:59:59.999999Z"),
      sample("2026-09-04T08:15:30.1234560000000+07:00", "2026-09-04T01:15:30.123456Z"),
    ),
  ),
  jsonb: json.map((value) => sample(value)),
};
