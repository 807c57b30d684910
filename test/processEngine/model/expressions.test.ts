/** JUEL-like expressions: what they mean, what they refuse, and that nothing in a value or a name gets out of hand. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  checkExpression,
  createExpressions,
  ExpressionError,
} from "../../../src/processEngine/model/expressions.ts";

const variables = {
  amount: 1500,
  approved: true,
  refused: false,
  name: "Jane",
  nothing: null,
  none: [],
  list: [{ id: 1 }, { id: 2 }],
  applicant: { income: 9000, address: { city: "Bandung" } },
  long: 9_007_199_254_740_993n,
  text: "42",
};
type Values = Record<string, unknown>;
const resolve = (text: string, values: Values, type: string) =>
  createExpressions(() => values).resolveExpression(text, { content: { type } } as never) as unknown;
const evaluate = (text: string, values: Values = variables) => resolve(text, values, "bpmn:ExclusiveGateway");
const timeOf = (text: string, values: Values = variables) =>
  resolve(text, values, "bpmn:TimerEventDefinition");

describe("what an expression means", () => {
  const cases: [expression: string, value: unknown][] = [
    ["${amount > 1000 && approved}", true],
    ["${amount gt 1000 and not refused}", true],
    ["${amount <= 1000 || refused}", false],
    ["${amount le 1000 or approved}", true],
    ["${refused && unknown}", false],
    ["${approved || unknown}", true],
    ["${approved or refused and refused}", true],
    ["${name == 'Jane' and name ne \"Joe\"}", true],
    ["${empty nothing and empty none and not empty name}", true],
    ["${applicant.income * 2 >= 18000}", true],
    ["${applicant.address.city eq 'Bandung'}", true],
    ["${list[1].id == 2}", true],
    ["${nothing == null}", true],
    ["${text > 41 and text == 42}", true],
    ["${long == 9007199254740993}", true],
    ["${long > 9007199254740992}", true],
    ["#{approved}", true],
    ["${0 - amount < 0}", true],
    ["${not refused and refused}", false],
    ["${!refused && refused}", false],
    ["${empty name or approved}", true],
    ["no expression", "no expression"],
  ];
  test.each(cases)("%s", (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test("a timer's is a text", () => {
    expect(timeOf("${amount > 1000 ? 'PT1H' : 'PT2H'}")).toBe("PT1H");
    for (const text of ["${nothing}", "${amount}", "${approved}", "${''}", "${unknown}"])
      expect(() => timeOf(text)).toThrow(ExpressionError);
  });
});

describe("what is refused, in words that name it", () => {
  const cases: [expression: string, words: RegExp][] = [
    ["${unknown > 1}", /"unknown"/],
    ["${amount > }", /cannot be read/],
    ["${}", /\$\{/],
    ["${amount} and more", /one expression/],
    ["${name > nothing}", /no order/],
    ["${amount && approved}", /neither true nor false/],
    ["${name}", /neither true nor false/],
    ["${text}", /neither true nor false/],
    ["${none}", /neither true nor false/],
    ["${nothing}", /neither true nor false/],
    ["${'false'}", /neither true nor false/],
    ["${name.constructor}", /constructor/],
    ["${__proto__}", /__proto__/],
    ["${toString}", /toString/],
    ["${execution.getVariable('a')}", /function|cannot/],
  ];
  test.each(cases)("%s", (expression, words) => {
    expect(() => evaluate(expression)).toThrow(ExpressionError);
    expect(() => evaluate(expression)).toThrow(words);
  });
});

test("a value is never read as an expression", () => {
  expect(timeOf("${name}", { name: "${amount}" })).toBe("${amount}");
});

test("whatever text it is, an expression is a value or an ExpressionError, and soon", () => {
  const words = [
    "amount",
    "name",
    "(",
    ")",
    "&&",
    "and",
    "not",
    "'x",
    '"',
    "1",
    ".",
    "[",
    "]",
    "?",
    ":",
    "|",
    "{",
    "}",
    " ",
  ];
  const text = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join(""));
  const property = fc.property(fc.oneof(text, fc.string({ maxLength: 200 })), (inner) => {
    const began = performance.now();
    try {
      evaluate(`\${${inner}}`);
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError);
    }
    expect(performance.now() - began).toBeLessThan(2_000);
  });
  fc.assert(property, { numRuns: 2_000 });
});

test("what checks as an expression does not fail for its form, and what does not check fails", () => {
  const property = fc.property(fc.string({ maxLength: 60 }), (inner) => {
    const text = `\${${inner}}`;
    const why = checkExpression(text);
    if (why !== undefined) expect(() => evaluate(text)).toThrow(ExpressionError);
  });
  fc.assert(property, { numRuns: 1_000 });
});

test("order and equality of whole numbers are exact, as numbers, as text and beyond 2^53", () => {
  const property = fc.property(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -3n, max: 3n }),
    (a, step) => {
      const b = a + step;
      for (const values of [
        { a, b },
        { a: String(a), b },
        { a, b: String(b) },
      ]) {
        expect(evaluate("${a == b}", values)).toBe(a === b);
        expect(evaluate("${a < b}", values)).toBe(a < b);
        expect(evaluate("${a >= b}", values)).toBe(a >= b);
      }
    },
  );
  fc.assert(property);
});
