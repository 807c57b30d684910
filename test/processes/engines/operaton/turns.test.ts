/** Tenants of a question for tasks: in turns, so that no statement of the engine grows without end. */
import { expect, test } from "bun:test";
import { createTurns, mostTenants } from "../../../../src/processes/engines/operaton/serviceTasks/turns.ts";

const tenants = (count: number) => Array.from({ length: count }, (_, index) => index);

test("up to 1,000 tenants are in every question, and the engine waits each time", () => {
  const turns = createTurns<number>();
  for (const result of ["none", "some", "full", "none"] as const) {
    expect(turns.next(tenants(mostTenants))).toEqual({ tenants: tenants(mostTenants), waitDivisor: 1 });
    turns.asked(result);
  }
});

test("of 30,500 tenants each is asked for once in a round, and the engine waits after an empty one", () => {
  const turns = createTurns<number>();
  const all = tenants(30_500);
  for (const [round, divisor] of [
    [1, 0],
    [2, 31],
  ] as const) {
    const seen: number[] = [];
    for (let turn = 0; turn < 31; turn++) {
      const { tenants: asked, waitDivisor } = turns.next(all);
      expect(asked.length).toBeLessThanOrEqual(mostTenants);
      expect([round, waitDivisor]).toEqual([round, divisor]);
      seen.push(...asked);
      turns.asked("none");
    }
    expect(seen).toEqual(all);
  }
});

test("tenants with many tasks are asked for again, but others get their turn", () => {
  const turns = createTurns<number>();
  const firsts: (number | undefined)[] = [];
  for (let question = 0; question < 16; question++) {
    firsts.push(turns.next(tenants(2_000)).tenants[0]);
    turns.asked("full");
  }
  expect(firsts).toEqual([...Array(8).fill(0), ...Array(8).fill(mostTenants)]);
});

test("if tenants were removed, a turn that is too late begins again", () => {
  const turns = createTurns<number>();
  turns.next(tenants(3_000));
  turns.asked("none");
  turns.asked("none");
  expect(turns.next(tenants(1_500)).tenants[0]).toBe(0);
});
