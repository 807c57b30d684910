/**
 * Divides the tenants of a question for tasks. The engine's statement has a parameter for each tenant and each topic:
 * it took 0.1 s with 1,000 tenants, 5 s with 30,000, and failed with 60,000.
 */

/** Tenants in one question. */
export const mostTenants = 1_000;
/** Questions in a row for tenants that have more tasks than one answer, while others wait. */
const mostInARow = 8;

export interface Turns<Tenant> {
  /** The tenants to ask for now, and by how much the engine's time to wait is to be divided. 0: it shall not wait. */
  next(tenants: readonly Tenant[]): { readonly tenants: readonly Tenant[]; readonly waitDivisor: number };
  /** After the question: whether there were tasks, and perhaps more. */
  asked(result: "none" | "some" | "full"): void;
}

/** With several turns, the engine waits for tasks only after a whole round without any. */
export function createTurns<Tenant>(): Turns<Tenant> {
  let [turn, inARow, empty] = [0, 0, 0];
  return {
    next: (tenants) => {
      const count = Math.max(1, Math.ceil(tenants.length / mostTenants));
      turn %= count;
      const first = turn * mostTenants;
      const waits = count === 1 || empty >= count;
      return { tenants: tenants.slice(first, first + mostTenants), waitDivisor: waits ? count : 0 };
    },
    asked: (result) => {
      empty = result === "none" ? empty + 1 : 0;
      inARow = result === "full" ? inARow + 1 : 0;
      if (inARow > 0 && inARow < mostInARow) return;
      inARow = 0;
      turn++;
    },
  };
}
