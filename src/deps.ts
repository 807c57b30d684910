/** What every operation may use. Created once, by `main.ts` or by a test. */
import type { Infrastructure } from "./infrastructure/infrastructure.ts";
import type { ProcessEngine } from "./processes/engine.ts";

export interface Deps extends Infrastructure {
  readonly engine: ProcessEngine;
}
