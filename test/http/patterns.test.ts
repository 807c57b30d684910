import { expect, test } from "bun:test";
import contract from "../../src/generated/openapi.json";
import { meaningOf } from "../../src/http/patterns.ts";

function patternsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "pattern" && typeof member === "string" ? [member] : patternsIn(member),
  );
}

const patterns = [...new Set(patternsIn(contract))];

test.each(patterns)("the contract's pattern %s is explained in words", (pattern) => {
  expect(meaningOf(pattern)).toMatch(/^It must .+\.$/);
  expect(meaningOf(pattern)).not.toContain(pattern);
});

test("an unknown pattern is shown as it is", () => {
  expect(patterns.length).toBeGreaterThan(5);
  expect(meaningOf("^x$")).toBe("It must match ^x$.");
});
