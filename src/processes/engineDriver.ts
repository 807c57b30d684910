import type { ProcessEngine } from "./engine.ts";
import type { CarryOut, ServiceTasks } from "./serviceTasks.ts";

/** What a driver in `engines/` gives to `startEngine.ts`. */
export interface EngineDriver {
  readonly engine: ProcessEngine;
  readonly serviceTasks: ServiceTasks;
  /**
   * Begins this process's share of the work: claims service tasks, at most `serviceTasksAtOnce` at a time, and passes
   * each to `carryOut`. The work drains and ends with the jobs (`Jobs.onDrain`).
   */
  work(carryOut: CarryOut): Promise<void>;
}
