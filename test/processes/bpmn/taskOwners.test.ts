/** Reads whom a model gives a task to. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Element } from "../../../src/processes/bpmn/elements.ts";
import { namesOwners, ownersOf, ownerVariables } from "../../../src/processes/bpmn/taskOwners.ts";

const task = (attributes: Record<string, unknown>) => ({ $type: "bpmn:UserTask", ...attributes }) as Element;

const potentialOwner = (body: string) =>
  ({ $type: "bpmn:PotentialOwner", resourceAssignmentExpression: { expression: { body } } }) as never;

test("a list of names is read as it was written", () => {
  const name = fc
    .string({ minLength: 1 })
    .filter((text) => text.trim() === text && !/[,{}]/.test(text) && text !== "");
  fc.assert(
    fc.property(fc.array(name), (names) => {
      expect(ownersOf(task({ candidateUsers: names.join(" , ") })).candidateUsers).toEqual(names);
    }),
  );
});

test("an expression in a list keeps its commas, and its variables are known", () => {
  const owners = ownersOf(task({ candidateGroups: "a, ${x ? 'b,c' : y} ,#{z}" }));
  expect(owners.candidateGroups).toEqual(["a", "${x ? 'b,c' : y}", "#{z}"]);
  expect([...ownerVariables(owners)].toSorted()).toEqual(["x", "y", "z"]);
});

test("a task without names, or with empty ones, has no owners", () => {
  for (const attributes of [
    {},
    { assignee: " " },
    { candidateUsers: ",, ", candidateGroups: "" },
    { resources: [] },
  ])
    expect(namesOwners(ownersOf(task(attributes)))).toBe(false);
});

test("any text is read without an error, in linear time", () => {
  const texts = ["${", "{", ",", "user(", "group(a", ")", "$", "${a},", " "];
  const timed = (count: number) => {
    const begun = performance.now();
    for (const text of texts) {
      const long = text.repeat(count);
      ownersOf(task({ assignee: long, candidateGroups: long, resources: [potentialOwner(long)] }));
    }
    return performance.now() - begun;
  };
  timed(1_000);
  expect(timed(200_000)).toBeLessThan(40 * Math.max(timed(20_000), 10));
  fc.assert(fc.property(fc.string(), (text) => void ownersOf(task({ resources: [potentialOwner(text)] }))));
});
