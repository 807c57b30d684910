/** Random filters, each as `$filter` writes it and as a function that says which rows match: OData's rules in memory. */
import fc from "fast-check";
import type { Columns } from "./tables.ts";

/** null, true or false, as in SQL. */
type Truth = boolean | null;
/** A column's value as the model compares it: decimals and moments as text. */
export type ModelRow = Readonly<Record<string, unknown>>;

interface Value<T> {
  readonly text: string;
  readonly of: (row: ModelRow) => T | null;
}
export interface Condition extends Value<boolean> {
  /** Whether it needs no parentheses as an operand. */
  readonly atomic: boolean;
}

export const modelColumns: Columns = {
  t: "text",
  u: "text not null",
  n: "integer",
  m: "integer not null",
  b: "bigint",
  d: "numeric",
  f: "boolean",
  day: "date",
  moment: "timestamp",
  j: "jsonb",
};

const texts = ["", "a", "A", "ab", "aB%", "%", "_", "\\", "é", "É", "👩", "\uffff", "it's", "null", " and "];
const integers = ["0", "1", "-1", "2147483647", "-2147483648"];
const bigints = [...integers, "9007199254740993", "9223372036854775807", "-9223372036854775808"];
const numbers = [
  ...bigints,
  ...["0.1", "0.10", "-0.5", "1.0", "1e3", "1000", "12345678901234567890.123", "99999999999", "-1E-7"],
];
const days = ["0001-01-01", "2024-02-29", "2026-01-31", "2026-02-01", "9999-12-31"];
const moments = [
  "0001-01-01T00:00:00Z",
  "2026-01-31T23:59:59.999999Z",
  "2026-02-01T01:00:00+07:00",
  "2026-02-01T00:00:00Z",
  "9999-12-31T23:59:59.999999Z",
];
const jsons: readonly unknown[] = [
  ...["a", "", 1, 1.5, true, false, [], {}, [1, "a", null]],
  ...[
    { a: null },
    { a: "a" },
    { a: 1 },
    { a: true },
    { a: { "b c": "É" } },
    { a: [0, { "0": 2 }] },
    { "0": "a" },
  ],
];

const nullable = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 4 });
export const anyModelRow: fc.Arbitrary<ModelRow> = fc.record({
  t: nullable(texts),
  u: fc.constantFrom(...texts),
  n: nullable(integers.map(Number)),
  m: fc.constantFrom(...integers.map(Number)),
  b: nullable(bigints),
  d: nullable(numbers),
  f: nullable([true, false]),
  day: nullable(days),
  moment: nullable(moments),
  j: nullable(jsons),
});

/** An exact number: its digits as an integer, 40 of them after the point. */
export function scaled(text: string): bigint {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const zeros = 40 - fraction.length + Number(power);
  return BigInt(`${sign}${whole}${fraction}${"0".repeat(zeros)}`);
}

/** Microseconds. */
function micros(text: string): bigint {
  const [, seconds = "", fraction = "", zone = ""] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(text) ?? [];
  return BigInt(Date.parse(seconds + zone)) * 1000n + BigInt(fraction.padEnd(6, "0"));
}
const utcDay = (text: string) => new Date(Number(micros(text) / 1000n)).toISOString().slice(0, 10);

/** UTF-8's order, which is that of code points and not that of UTF-16. */
const inBytes = (text: string) => Buffer.from(text).toString("hex");

/** A value that sorts as its column does. Nulls come last in every order, so they have none. */
export function sortKey(name: string, value: unknown): string | bigint {
  const text = String(value);
  if (name === "t" || name === "u") return inBytes(text);
  if (name === "day" || name === "f") return text;
  return name === "moment" ? micros(text) : scaled(text);
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const column = <T>(name: string): Value<T> => ({ text: name, of: (row) => row[name] as T | null });
const literal = <T>(text: string, value: T): Value<T> => ({ text, of: () => value });
const apply = <A, B>(name: string, inner: Value<A>, of: (value: A) => B): Value<B> => ({
  text: `${name}(${inner.text})`,
  of: (row) => onValue(inner.of(row), of),
});
const onValue = <A, B>(value: A | null, of: (value: A) => B) => (value === null ? null : of(value));

const paths = [
  [],
  ["a"],
  ["a", "b c"],
  ["a", 0],
  ["a", 1, 0],
  ["a", 1, "0"],
  [0],
  [1],
  ["0"],
  ["zz"],
] as const;
const pathText = (path: readonly (string | number)[]) =>
  [
    "j",
    ...path.map((step) => (typeof step === "number" || /^[a-z]+$/.test(step) ? step : quoted(step))),
  ].join("/");

/** A digit without quotes is a place in an array, or a key of an object. */
function atPath(value: unknown, path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null) return null;
    if (Array.isArray(found) && typeof step === "string") return null;
    found = (found as Record<string, unknown>)[step];
  }
  return found ?? null;
}

const inJson = <T>(type: "string" | "number" | "boolean", of: (found: unknown) => T) =>
  fc.constantFrom(...paths).map(
    (path): Value<T> => ({
      text: pathText(path),
      of: (row) => {
        const found = atPath(row.j, path);
        return typeof found === type ? of(found) : null;
      },
    }),
  );

const textLiteral = fc.constantFrom(...texts).map((text) => literal(quoted(text), text));
const plainText = fc.oneof(fc.constantFrom(column<string>("t"), column<string>("u")), textLiteral);
const jsonText = inJson("string", String);
const anyText = fc.oneof(plainText, jsonText);
const textValue = fc.oneof(
  { weight: 4, arbitrary: plainText },
  anyText.map((inner) => apply("tolower", inner, (text) => text.toLowerCase())),
  anyText.map((inner) => apply("toupper", inner, (text) => text.toUpperCase())),
);

const day = column<string>("day");
const moment: Value<string> = column("moment");
const dayValue = fc.oneof(
  fc.constantFrom(day, apply("date", moment, utcDay)),
  fc.constantFrom(...days).map((text) => literal(text, text)),
);
const momentValue = fc.oneof(
  fc.constant(moment),
  fc.constantFrom(...moments.map((text) => literal(text, text))),
);
const partOf = (name: string, from: number, to: number) =>
  fc.constantFrom(
    apply(name, day, (text) => String(Number(text.slice(from, to)))),
    apply(name, moment, (text) => String(Number(utcDay(text).slice(from, to)))),
  );
const numberValue = fc.oneof(
  fc.constantFrom("n", "m", "b", "d").map((name) => ({
    text: name,
    of: (row: ModelRow) => onValue(row[name], String),
  })),
  fc.constantFrom(...numbers, "2026", "1").map((text) => literal(text, text)),
  partOf("year", 0, 4),
  partOf("month", 5, 7),
  partOf("day", 8, 10),
);

const operators = ["eq", "ne", "gt", "ge", "lt", "le"] as const;
type Operator = (typeof operators)[number];

type Comparable = string | bigint | boolean;

/** OData 4.01, 5.1.1.1: a comparison is never null. */
function holds(operator: Operator, a: Comparable | null, b: Comparable | null): boolean {
  const equal = a === b;
  if (operator === "eq" || operator === "ne") return equal === (operator === "eq");
  const [less, more] = a === null || b === null ? [false, false] : [a < b, a > b];
  return { gt: more, ge: more || equal, lt: less, le: less || equal }[operator];
}

const comparison = <T, K extends Comparable>(
  left: fc.Arbitrary<Value<T>>,
  right: fc.Arbitrary<Value<T>>,
  key: (value: T) => K,
) =>
  fc
    .tuple(left, fc.constantFrom(...operators), right, fc.boolean())
    .map(([a, operator, b, swap]): Condition => {
      const [first, second] = swap ? [b, a] : [a, b];
      return {
        text: `${first.text} ${operator} ${second.text}`,
        of: (row) => holds(operator, onValue(first.of(row), key), onValue(second.of(row), key)),
        atomic: false,
      };
    });

const membership = <T, K extends Comparable>(
  left: fc.Arbitrary<Value<T>>,
  right: fc.Arbitrary<Value<T>>,
  key: (value: T) => K,
) =>
  fc.tuple(left, fc.array(right, { minLength: 1, maxLength: 4 })).map(
    ([a, list]): Condition => ({
      text: `${a.text} in (${list.map(({ text }) => text).join(",")})`,
      of: (row) => list.some((b) => holds("eq", onValue(a.of(row), key), onValue(b.of(row), key))),
      atomic: false,
    }),
  );

const testOfText = fc
  .tuple(
    fc.constantFrom(
      ["contains", (a: string, b: string) => a.includes(b)] as const,
      ["startswith", (a: string, b: string) => a.startsWith(b)] as const,
      ["endswith", (a: string, b: string) => a.endsWith(b)] as const,
    ),
    fc.oneof(textValue, jsonText),
    textValue,
  )
  .map(
    ([[name, test], a, b]): Condition => ({
      text: `${name}(${a.text},${b.text})`,
      of: (row) => onValue(a.of(row), (text) => onValue(b.of(row), (part) => test(text, part))),
      atomic: true,
    }),
  );

/** Any column, whatever its type, and anything in the jsonb column. */
const nullTest = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...Object.keys(modelColumns)).map((name) => column(name)),
      fc.constantFrom(...paths).map((path) => ({
        text: pathText(path),
        of: (row: ModelRow) => atPath(row.j, path),
      })),
    ),
    fc.constantFrom(...operators),
  )
  .map(
    ([value, operator]): Condition => ({
      text: `${value.text} ${operator} null`,
      of: (row) =>
        holds(
          operator,
          onValue(value.of(row), () => true),
          null,
        ),
      atomic: false,
    }),
  );

const bare = fc.oneof(
  fc.constant({ text: "f", of: (row: ModelRow) => row.f as Truth, atomic: true }),
  fc.constantFrom(true, false).map((value) => ({ text: String(value), of: () => value, atomic: true })),
  inJson("boolean", Boolean).map((value) => ({ ...value, atomic: true })),
);

const nothing = fc.constant<Value<string>>({ text: "null", of: () => null });
const same = <T>(value: T) => value;
const number = (text: string) => scaled(text);
const jsonNumber = inJson("number", String);
const literals = <T>(arbitrary: fc.Arbitrary<Value<T>>) =>
  arbitrary.filter(({ text }) => /^['\d-]/.test(text));

const leaf = fc.oneof(
  comparison(fc.oneof(textValue, jsonText), textValue, inBytes),
  comparison(fc.oneof(numberValue, jsonNumber), numberValue, number),
  comparison(dayValue, dayValue, same),
  comparison(momentValue, momentValue, micros),
  membership(jsonText, textLiteral, inBytes),
  membership(jsonNumber, literals(numberValue), number),
  membership(textValue, fc.oneof(textLiteral, nothing), inBytes),
  membership(numberValue, fc.oneof(literals(numberValue), nothing), number),
  membership(dayValue, fc.oneof(literals(dayValue), nothing), same),
  testOfText,
  nullTest,
  bare,
);

const wrapped = ({ text, atomic }: Condition) => (atomic ? text : `(${text})`);

function joined(word: "and" | "or", terms: readonly Condition[], spelling: string): Condition {
  const decisive = word === "or";
  const of = (row: ModelRow): Truth => {
    const values = terms.map((term) => term.of(row));
    if (values.includes(decisive)) return decisive;
    return values.includes(null) ? null : !decisive;
  };
  return { text: terms.map(wrapped).join(` ${spelling} `), of, atomic: false };
}

const negated = (term: Condition): Condition => ({
  text: `not ${wrapped(term)}`,
  of: (row) => onValue(term.of(row), (value) => !value),
  atomic: false,
});

export const anyFilter: fc.Arbitrary<Condition> = fc.letrec<{ tree: Condition }>((tie) => {
  const terms = fc.array(tie("tree"), { minLength: 2, maxLength: 3 });
  return {
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 4, arbitrary: leaf },
      terms.map((all) => joined("and", all, "and")),
      terms.map((all) => joined("or", all, "OR")),
      tie("tree").map(negated),
      fc.tuple(tie("tree"), fc.constantFrom("eq", "ne"), tie("tree")).map(
        ([a, operator, b]): Condition => ({
          text: `${wrapped(a)} ${operator} ${wrapped(b)}`,
          of: (row) => holds(operator as Operator, a.of(row), b.of(row)),
          atomic: false,
        }),
      ),
    ),
  };
}).tree;
