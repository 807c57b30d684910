import { expect, test } from "bun:test";
import fc from "fast-check";
import { fetchLimits } from "../../../src/infrastructure/jobs/fetchLimits.ts";

const groups = fc.array(fc.constantFrom("a", "b", "c", undefined), { maxLength: 40 });
const maxRunning = fc.integer({ min: 1, max: 64 });
const countOf = (running: readonly (string | undefined)[], group: string) =>
  running.filter((one) => one === group).length;

test("a fetch never gives a group more than its share, nor starts more jobs than may run", () => {
  fc.assert(
    fc.property(groups, maxRunning, fc.constantFrom("a", "b", "d"), (running, most, group) => {
      const { batchSize, ignoreGroups } = fetchLimits(running, most);
      expect(batchSize).toBeGreaterThanOrEqual(0);
      expect(running.length + batchSize).toBeLessThanOrEqual(Math.max(most, running.length));
      if (batchSize > 0 && !ignoreGroups.includes(group))
        expect(countOf(running, group) + batchSize).toBeLessThanOrEqual(Math.ceil(most / 4));
    }),
  );
});

test("while fewer jobs run than may, a group below its share gets more", () => {
  fc.assert(
    fc.property(groups, maxRunning, (running, most) => {
      const { batchSize, ignoreGroups } = fetchLimits(running, most);
      if (running.length >= most) return;
      expect(batchSize).toBeGreaterThan(0);
      for (const group of ["a", "b", "c"])
        expect(ignoreGroups.includes(group)).toBe(countOf(running, group) >= Math.ceil(most / 4));
    }),
  );
});
