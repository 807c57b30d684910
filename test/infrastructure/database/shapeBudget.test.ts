import { expect, test } from "bun:test";
import { createShapeBudget } from "../../../src/infrastructure/database/shapeBudget.ts";

test("a shape is prepared on its third use", () => {
  const { mayPrepare } = createShapeBudget();
  expect([1, 2, 3, 4].map(() => mayPrepare("select 1"))).toEqual([false, false, true, true]);
});

test("shapes that callers write freely do not take the places of the others", () => {
  const { mayPrepare } = createShapeBudget();
  const prepared = (count: number, kind: "usual" | "free") =>
    Array.from({ length: count }, (_, n) =>
      [1, 2, 3].map(() => mayPrepare(`${kind} ${n}`, kind)).at(-1),
    ).filter(Boolean).length;
  expect(prepared(500, "free")).toBe(64);
  expect(prepared(500, "usual")).toBe(192);
});
