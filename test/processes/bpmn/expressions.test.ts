/** Expressions like those of JUEL: what they mean, what is refused, and that no name and no value does harm. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  checkExpression,
  createExpressions,
  ExpressionError,
  namesRead,
} from "../../../src/processes/bpmn/expressions.ts";

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
  due: new Date("2025-12-31T23:00:00Z"),
  same: new Date("2026-01-01T01:00:00+02:00"),
  later: new Date("2026-01-01T00:00:00Z"),
};
type Values = Record<string, unknown>;
const resolve = (text: string, values: Values, type: string) =>
  createExpressions(() => values).resolveExpression(text, { content: { type } } as never) as unknown;
const evaluate = (text: string, values: Values = variables) => resolve(text, values, "bpmn:ExclusiveGateway");
const timeOf = (text: string, values: Values = variables) =>
  resolve(text, values, "bpmn:TimerEventDefinition");

describe("the value of an expression", () => {
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
    ["${-amount < 0 and - amount + 1 < 0}", true],
    ["${-(amount - 2000) == 500 && amount - -amount == 3000 && -applicant.income < -1}", true],
    ["${-long == -9007199254740993 and -long - 1 < -9007199254740993}", true],
    ["${not (-amount > -1500 || amount -1 > 1499) and --amount == 1500}", true],
    ["${name == '-a-b' or '- x' == '- x'}", true],
    ["${amount mod 7 == 2 and amount % 7 eq 2 and -amount mod 7 == -2}", true],
    ["${amount div 1000 == 1.5 and 7 div 2 > 3 and long mod 10 == 3}", true],
    ["${2 * 5 % 3 == 1 and 2 * 5 mod 3 == 1 and 1 + 6 div 3 == 3}", true],
    ["${nothing * 3 == 0 && text div 2 == 21 && long * 1000 == 9007199254740993000}", true],
    ["${text + 1 == 43 and long + 1 == 9007199254740994 and nothing + 0.5 == amount - 1499.5}", true],
    ["${name + 1 == 'Jane1' and 'PT' + 1 + 'H' == 'PT1H'}", true],
    ["${approved == 'true' and 'TRUE' eq approved and refused == 'no' and approved != 'yes'}", true],
    ["${refused == 'true' or approved ne 'true' or nothing == 'false' or nothing == refused}", false],
    ["${applicant['address'][\"city\"] == 'Bandung' and list['0'].id == 1}", true],
    ["${applicant.missing == null and applicant.missing.more == null and list[7] == null}", true],
    ["${list.length == null and none['length'] == null and list['push'] == null}", true],
    ["${not refused and refused}", false],
    ["${!refused && refused}", false],
    ["${empty name or approved}", true],
    ["${2 in [1, 2, ] and 'an' in name and not (3 in [1, , 2]) and not (1 in amount)}", true],
    ["${7 // 2 == 3 and 2 ^ 3 ^ 2 == 64 and -2 ^ 2 == 4 and 1 + 2 * 2 ^ 2 == 9}", true],
    ["${(nothing ?: name) == 'Jane' and (refused ? 1 : approved ? 2 : 3) == 2}", true],
    ["${amount\u00a0>\u20031000 and 0 > \u22121}", true],
    ["${((amount > 1000) and approved}", true],
    ["${'it\\'s' == \"it's\" and 'a\\n' != 'a\n' and 'a\\\\b' == 'a\\b'}", true],
    [
      "${nothing > 4 or nothing < 4 or nothing >= 0 or nothing <= 0 or name > nothing or nothing < nothing}",
      false,
    ],
    ["${nothing >= nothing and nothing <= null and nothing != 0 and nothing != ''}", true],
    ["${'' < 4 and '' == 0 and '' != nothing and empty ''}", true],
    ["${1e3 == 1000 and 1.5E-1 == 0.15 and .5 + .5e1 == 5.5 and 5. == 5}", true],
    ["${'{' != '}' and name != '${amount}' and \"{a}\" == '{a}'}", true],
    ["${'a\\\\' == \"a\\\\\" and '\\\\' != '/'}", true],
    ["${!name and !'' and not nothing and not 'false' and !(not 'true')}", true],
    ["${'TRUE' && approved and ('no' || approved)}", true],
    ["${name ? refused : approved}", true],
    ["${approved == amount > 4 and amount > 4 == approved}", true],
    ["${due == same and due < later and later >= due and not (due != same)}", true],
    ["${due > 'A' and due == 'Wed Dec 31 23:00:00 UTC 2025' and due != null and not empty due}", true],
    ["no expression", "no expression"],
  ];
  test.each(cases)("%s", (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test("the expression of a timer has a text as its value", () => {
    expect(timeOf("${amount > 1000 ? 'PT1H' : 'PT2H'}")).toBe("PT1H");
    expect(timeOf("PT${text}H${1 + 1}M")).toBe("PT42H2M");
    expect(timeOf("${same}")).toBe("2025-12-31T23:00:00.000Z");
    for (const text of ["${nothing}", "${amount}", "${approved}", "${''}", "${unknown}"])
      expect(() => timeOf(text)).toThrow(ExpressionError);
  });
});

describe("a refused expression, and the message that names the reason", () => {
  const cases: [expression: string, words: RegExp][] = [
    ["${unknown > 1}", /"unknown"/],
    ["${amount > }", /cannot be read/],
    ["${}", /\$\{/],
    ["${amount} and more", /a single expression/],
    ["${list > list}", /no order/],
    ["${name > list}", /compares a text with a list/],
    ["${name == 5}", /compares a number with a value that is not one/],
    ["${applicant ? approved : refused}", /neither true nor false/],
    ["${amount > '}'", /quote is missing/],
    ["PT${amount}H", /a single expression/],
    ["${amount && approved}", /neither true nor false/],
    ["${name}", /neither true nor false/],
    ["${text}", /neither true nor false/],
    ["${none}", /neither true nor false/],
    ["${nothing}", /neither true nor false/],
    ["${'false'}", /neither true nor false/],
    ["${name.constructor}", /constructor/],
    ['${applicant["constructor"]["name"] == "Object"}', /constructor/],
    ["${applicant['__proto__'] == null}", /__proto__/],
    ["${list[0]['prototype'] == null}", /prototype/],
    ["${list[.id == 1] == null}", /dot/],
    ["${name['length'] == 4}", /member/],
    ["${amount.toFixed == null}", /member/],
    ["${name - 1 > 0}", /not a number/],
    ["${-name > 0}", /not a number/],
    ["${name + none == 'Jane'}", /not a number/],
    ["${approved + 1 == 2}", /not a number/],
    ["${amount mod 0 == 1}", /cannot be evaluated/],
    ["${amount -}", /cannot be read/],
    ["${__proto__}", /__proto__/],
    ["${toString}", /toString/],
    ["${execution.getVariable('a')}", /function|cannot/],
  ];
  test.each(cases)("%s", (expression, words) => {
    expect(() => evaluate(expression)).toThrow(ExpressionError);
    expect(() => evaluate(expression)).toThrow(words);
  });
});

describe("Json is read by methods, as in Operaton", () => {
  const answer = JSON.parse(
    '{"n":2,"s":"x","t":true,"none":null,"m":{"k":7},"l":[{"n":4}],"__proto__":1,"constructor":1}',
  );
  const cases: [expression: string, value: unknown][] = [
    ["${answer.prop('n').numberValue() < 3 and answer.n < 3}", true],
    ['${answer.prop("s").stringValue() == "x" and answer.prop("t").boolValue()}', true],
    ["${answer.prop(key).prop('k').numberValue() == answer.m.k}", true],
    ["${answer.m.prop('k').numberValue() == 7}", true],
    [
      "${answer.hasProp('n') and answer.hasProp('none') and !answer.hasProp('x') and !answer.l.hasProp('x')}",
      true,
    ],
    ["${answer.prop('l').elements()[0].prop('n').numberValue() == 4 and answer.prop('none') != null}", true],
    ["${answer.hasProp(proto) or answer.hasProp('toString')}", false],
  ];
  test.each(cases)("%s", (expression, value) => {
    expect(evaluate(expression, { answer, key: "m", proto: "__proto__" })).toBe(value);
  });

  const refused: [expression: string, words: RegExp][] = [
    ["${answer.prop('x').numberValue() > 1}", /does not exist/],
    ["${answer.prop('toString') == null}", /does not exist/],
    ["${answer.prop('s').numberValue() > 1}", /numberValue\(\) of a value that is not a number/],
    ["${answer.prop('n').stringValue() == '2'}", /stringValue\(\) of a value that is not a string/],
    ["${answer.prop('n').boolValue()}", /boolValue\(\) of a value that is not a boolean/],
    ["${answer.prop('m').elements()}", /not a list/],
    ["${answer.prop('n') > 1}", /not one/],
    ["${answer.prop('m').k == 7}", /Use prop/],
    ["${answer.prop('m').value == 7}", /Use prop/],
    ["${answer.prop('__proto__').numberValue() == 1}", /__proto__/],
    ["${answer.prop(proto).numberValue() == 1}", /__proto__/],
    ["${answer.prop('constructor').numberValue() == 1}", /constructor/],
    ["${answer.hasProp('__proto__')}", /__proto__/],
    ["${answer.l.prop('0').numberValue() == 1}", /does not exist/],
    ["${answer.s.prop('n') == null}", /not Json/],
    ["${key.hasProp('length')}", /not Json/],
    ["${answer.prop() == null}", /0 values. It takes 1/],
    ["${answer.numberValue(1) == 1}", /1 values. It takes 0/],
    ["${answer['prop']('n') == null}", /only these methods of Json: prop\(\), hasProp\(\)/],
    ["${prop('n') == null}", /functions/],
    ["${answer.l.push(1) == 2}", /functions/],
    ["${answer.toString() == 'x'}", /functions/],
  ];
  test.each(refused)("%s", (expression, words) => {
    const given = { answer, key: "m", proto: "__proto__" };
    expect(() => evaluate(expression, given)).toThrow(ExpressionError);
    expect(() => evaluate(expression, given)).toThrow(words);
  });

  test("the variable of a method, and those of its name, are read", () => {
    expect([...namesRead("${answer.prop(key).numberValue() > limit}")]).toEqual(["answer", "key", "limit"]);
    expect([...namesRead("PT${hours}H${minutes}M")]).toEqual(["hours", "minutes"]);
  });
});

describe("what the parser knows beyond expressions is refused", () => {
  const cases = [
    ..."approved; approved, (approved;) (approved,) (,approved) ;approved ,approved amount,amount (amount,amount)".split(
      " ",
    ),
    ..."amount===1 amount!==1 amount??1 amount|1 amount&1 amount<<1 amount**1 ~amount +amount list?.id".split(
      " ",
    ),
    ..."1e .e5 5.x 5L 0x1F 1_000 not list.and eq.id list.eq".split(" "),
    ..."name\u200b naïve中 \\u0061mount 'a `a` /a/ @a #a".split(" "),
    "amount approved",
    "[1 2] == list",
    "amount > (1000",
    "approved ? 1 :",
    "approved ?: ",
    "list[] == null",
    "() == null",
  ];
  test.each(cases)("%s", (inner) => {
    expect(checkExpression(`\${${inner}}`)).toContain("cannot be read");
  });

  test("its operators are settings of the whole process, so only one file imports it", async () => {
    const root = new URL("../../../src/", import.meta.url).pathname;
    const importing: string[] = [];
    for (const path of new Bun.Glob("**/*.ts").scanSync(root)) {
      const text = await Bun.file(root + path).text();
      if (/^import (?!type\b).*"jsep"/m.test(text)) importing.push(path);
    }
    expect(importing).toEqual(["processes/bpmn/expressions/grammar.ts"]);
  });
});

test.each<[string, string, unknown]>([
  ["parentheses", `${"(".repeat(990)}approved${")".repeat(990)}`, true],
  ["negations", `${"!".repeat(1_980)}approved`, true],
  ["brackets", `applicant${"[applicant".repeat(160)}${"]".repeat(160)} == null`, true],
  ["lists", `empty ${"[".repeat(950)}${"]".repeat(950)}`, false],
  ["alternatives", `${"refused?refused:".repeat(100)}approved`, true],
  ["sums", `${"1+".repeat(990)}1 == 991`, true],
  ["open parentheses", "(".repeat(1_980), ExpressionError],
  ["open brackets", "[".repeat(1_980), ExpressionError],
  ["open quotes", `'${"\\'".repeat(980)}`, ExpressionError],
  ["quotes", "'".repeat(1_980), ExpressionError],
])(
  "an expression that nests as deeply as its length allows is parsed within two seconds: %s",
  (_, inner, expected) => {
    const began = performance.now();
    if (expected === ExpressionError) expect(() => evaluate(`\${${inner}}`)).toThrow(ExpressionError);
    else expect(evaluate(`\${${inner}}`)).toBe(expected);
    expect(performance.now() - began).toBeLessThan(2_000);
  },
);

test("no name reads an inherited member, not even a name that is a variable's value", () => {
  const inherited = fc.constantFrom(
    ...[
      "constructor",
      "__proto__",
      "prototype",
      "toString",
      "valueOf",
      "hasOwnProperty",
      "at",
      "map",
      "length",
    ],
  );
  fc.assert(
    fc.property(inherited, fc.constantFrom("applicant", "list", "none", "list[0]"), (name, from) => {
      expect(evaluate(`\${${from}[key] == null}`, { ...variables, key: name })).toBe(true);
      const [a, b] = [name.slice(0, 2), name.slice(2)];
      expect(evaluate(`\${${from}[a + b] == null}`, { ...variables, a, b })).toBe(true);
    }),
  );
  const own = JSON.parse('{"constructor":1,"__proto__":2}');
  expect(evaluate("${own[key] == 2}", { own, key: "__proto__" })).toBe(true);
});

test("a value is never read as an expression", () => {
  expect(timeOf("${name}", { name: "${amount}" })).toBe("${amount}");
});

test("whatever text it is, an expression has a value or an ExpressionError, within two seconds", () => {
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

test("a text that does not check as an expression cannot be evaluated", () => {
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

test.each<[string, string, boolean]>([
  ["s > 5", "9".repeat(1_000_000), true],
  ["s > 5", `-${"9".repeat(1_000_000)}`, false],
  ["s == 5", `${"0".repeat(1_000_000)}5`, true],
  ["s < 6 and s > 4", `${"0".repeat(1_000_000)}5`, true],
  ["s == -5", `-${"0".repeat(1_000_000)}5`, true],
  ["s > long", `${"0".repeat(500)}9007199254740994`, true],
  ["s < amount", "7".repeat(399), false],
  ["s == 'true'", "t".repeat(1_000_000), false],
  ["s == approved", "T".repeat(1_000_000), false],
])(
  "a text of a million digits is compared exactly, 20 times within a second: %s",
  (condition, s, expected) => {
    const begun = performance.now();
    for (let times = 0; times < 20; times++)
      expect(evaluate(`\${${condition}}`, { ...variables, s })).toBe(expected);
    expect(performance.now() - begun).toBeLessThan(1_000);
  },
);

test("joined texts have at most 65,536 characters", () => {
  const s = "a".repeat(40_000);
  expect(evaluate("${s + t == u}", { s, t: "b".repeat(25_536), u: `${s}${"b".repeat(25_536)}` })).toBe(true);
  expect(() => evaluate("${empty (s + s)}", { s })).toThrow("It joins texts to more than 65536 characters.");
  const huge = "a".repeat(8_000_000);
  const begun = performance.now();
  expect(() => evaluate(`\${empty (${Array(400).fill("s").join(" + ")})}`, { s: huge })).toThrow(
    "It joins texts",
  );
  expect(performance.now() - begun).toBeLessThan(1_000);
});

test("a time is a text of at most 255 characters", () => {
  expect(timeOf("${due}", { due: "PT1H" })).toBe("PT1H");
  expect(() => timeOf("${due}", { due: `PT${"0".repeat(300)}1H` })).toThrow("neither a date nor a duration");
});
