/**
 * Conditions mean what they mean in Operaton. The two text files have the answers of Operaton 1.0.3: each condition was
 * deployed there at an exclusive gateway, and an instance was started with the values below. `refused` is the
 * deployment's answer, `error` the start's.
 */
import { expect, test } from "bun:test";
import { checkExpression, createExpressions } from "../../../src/processes/bpmn/expressions.ts";
import { plainValues } from "../../../src/processes/variables/show.ts";
import type { VariableType } from "../../../src/processes/variables/variable.ts";

const object = { n: 2, d: 1.5, s: "x", t: true, nul: null, m: { k: 7 }, l: [], e: "" };

/** In Operaton, these lists and objects were variables of type Object. */
const values: Record<string, [VariableType, unknown]> = {
  five: ["Integer", 5],
  zero: ["Integer", 0],
  neg: ["Integer", -3],
  long: ["Long", JSON.rawJSON("9007199254740993")],
  dbl: ["Double", 2.5],
  whole: ["Double", 2],
  nothing: ["Null", null],
  noInt: ["Integer", null],
  noText: ["String", null],
  blank: ["String", ""],
  word: ["String", "abc"],
  text5: ["String", "5"],
  text25: ["String", "2.5"],
  spaced: ["String", " 5 "],
  yes: ["String", "true"],
  Yes: ["String", "TRUE"],
  no: ["String", "false"],
  T: ["Boolean", true],
  F: ["Boolean", false],
  emptyList: ["Json", "[]"],
  list: ["Json", "[1, 2, 3]"],
  emptyMap: ["Json", "{}"],
  map: ["Json", JSON.stringify(object)],
  map2: ["Json", JSON.stringify(object)],
  early: ["Date", "2026-01-01T01:00:00.000+0200"],
  late: ["Date", "2026-01-01T00:00:00.000+0000"],
  same: ["Date", "2025-12-31T23:00:00.000Z"],
  noDate: ["Date", null],
};

const json = {
  ...{ n: 2, d: 1.5, s: "x", num: "5", t: true, nul: null, m: { k: 7 } },
  ...{ l: [1, 2], lo: [{ n: 4 }], e: [], empty: {} },
};
const jsonValues: typeof values = {
  r: ["Json", JSON.stringify(json)],
  key: ["String", "n"],
  a: ["Json", "[]"],
  one: ["Integer", 1],
  dbl0: ["Double", 0],
};

/** Where the embedded engine answers otherwise, and why. */
const differences: readonly (readonly [why: string, conditions: RegExp])[] = [
  ["a decimal text is a number also beside a whole number", /text25|'2\.5'|'5\.0'|'1e1'|^spaced == 5$/],
  ["no text is greater or less than a list or an object", /(list|map)\w* <|< \w*(list|map)/i],
  ["the members of a list are its items", /^list\.size/],
  ["texts are joined with +", /^word \+ 'x'/],
  ["a value of type Json is read as an Object is", /^r\.n|^empty a$/],
  ["two parts of a Json are compared by their values", /^r\.prop\("[mn]"\) == r\.prop/],
  [
    "whole numbers are exact beyond 2^53 and 2^63",
    /^long == 9007199254740992\.0|^9223372036854775807|^9{20}/,
  ],
  ["a whole Double is a whole number, and 0 has no sign", /dbl0|^1\.0 mod 0/],
  ["only numbers are numbers", /'NaN'/],
  ["models of earlier releases have these", /^\(five > 4$|^'a\\nb'|^five (in|\?:) /],
  ["only the methods that read Json exist, and no member of a date", /\.(equals|length|toString)\(|\.time\b/],
  ["of the methods of Json, six exist", /\.(isNull|get|size|isObject|isArray|isNumber|value)\(/],
];

const variables = (typed: typeof values) =>
  plainValues(
    new Map(
      Object.entries(typed).map(([name, [type, value]]) => [name, { type, value: JSON.stringify(value) }]),
    ),
  );

function answerTo(condition: string, given: Record<string, unknown>): string {
  if (checkExpression(condition) !== undefined) return "refused";
  try {
    const gateway = { content: { type: "bpmn:ExclusiveGateway" } } as never;
    return String(createExpressions(() => given).resolveExpression(condition, gateway));
  } catch {
    return "error";
  }
}

/** A condition that is not true or false may be refused earlier than in Operaton, at the deployment. */
const agrees = (answer: string, operaton: string) =>
  answer === operaton || (operaton === "error" && answer === "refused");

test.each([
  ["operatonAnswers.txt", values, 800],
  ["operatonJsonAnswers.txt", jsonValues, 70],
] as const)("conditions have the value that they have in Operaton: %s", async (file, typed, atLeast) => {
  const given = variables(typed);
  const lines = (await Bun.file(new URL(file, import.meta.url)).text())
    .split("\n")
    .filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(atLeast);
  const others = lines.flatMap((line) => {
    const [, operaton = "", condition = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
    const inner = condition.replace(/^[$#]\{|\}$/g, "");
    const answer = answerTo(condition, given);
    if (agrees(answer, operaton) || differences.some(([, which]) => which.test(inner))) return [];
    return [`${condition}: ${answer}, in Operaton ${operaton}`];
  });
  expect(others).toEqual([]);
});
