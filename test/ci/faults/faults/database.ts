/** Faults of PostgreSQL: stopped, paused, killed. */
import type { Fault } from "./fault.ts";

export const databaseStopped: Fault = {
  kind: "database away for 6 s",
  run: async ({ postgres }) => {
    await postgres.stop();
    await Bun.sleep(6_000);
    await postgres.start();
    return { target: "PostgreSQL" };
  },
};

export const databasePaused: Fault = {
  kind: "database paused for 5 s",
  run: async ({ postgres }) => {
    await postgres.pause();
    await Bun.sleep(5_000);
    await postgres.resume();
    return { target: "PostgreSQL" };
  },
};

export const databaseKilled: Fault = {
  kind: "database killed",
  run: async ({ postgres, random }) => {
    await postgres.kill();
    await Bun.sleep(random.below(1_500));
    await postgres.start();
    return { target: "PostgreSQL" };
  },
};
