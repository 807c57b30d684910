import { expect, test } from "bun:test";
import fc from "fast-check";
import { roomBeside } from "../../../src/infrastructure/jobs/places.ts";

const groups = fc.array(fc.constantFrom("a", "b", "c", undefined), { maxLength: 40 });
const places = fc.integer({ min: 1, max: 64 });
const countOf = (running: readonly (string | undefined)[], group: string) =>
  running.filter((one) => one === group).length;

test("whatever is fetched, no group takes more than its share, and no place is taken twice", () => {
  fc.assert(
    fc.property(groups, places, fc.constantFrom("a", "b", "d"), (running, places, group) => {
      const { batchSize, ignoreGroups } = roomBeside(running, places);
      expect(batchSize).toBeGreaterThanOrEqual(0);
      expect(running.length + batchSize).toBeLessThanOrEqual(Math.max(places, running.length));
      if (batchSize > 0 && !ignoreGroups.includes(group))
        expect(countOf(running, group) + batchSize).toBeLessThanOrEqual(Math.ceil(places / 4));
    }),
  );
});

test("where a place is free, a group that has not its share may have it", () => {
  fc.assert(
    fc.property(groups, places, (running, places) => {
      const { batchSize, ignoreGroups } = roomBeside(running, places);
      if (running.length >= places) return;
      expect(batchSize).toBeGreaterThan(0);
      for (const group of ["a", "b", "c"])
        expect(ignoreGroups.includes(group)).toBe(countOf(running, group) >= Math.ceil(places / 4));
    }),
  );
});
