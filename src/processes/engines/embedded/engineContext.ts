import type { Logger } from "pino";
import type { Sql } from "../../../infrastructure/database/connect.ts";
import type { Queue } from "../../../infrastructure/jobs/jobs.ts";
import type { Workers } from "../../../infrastructure/workers/workers.ts";
import type { Models } from "./models.ts";
import type { ServiceTaskJob } from "./serviceTaskQueries.ts";
import type { StartForms } from "./startForms.ts";
import type { TaskBatches } from "./taskBatches.ts";

export interface TimerJob {
  readonly process_instance_id: string;
  readonly tenant_id: number;
}

/** What the files of the embedded engine share. */
export interface EngineContext {
  readonly sql: Sql;
  readonly log: Logger;
  readonly models: Models;
  readonly startForms: StartForms;
  readonly workers: Workers;
  readonly taskBatches: TaskBatches;
  readonly serviceTasks: Queue<ServiceTaskJob>;
  readonly timers: Queue<TimerJob>;
}
