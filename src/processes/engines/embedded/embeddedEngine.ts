/**
 * The embedded process engine: bpmn-elements in memory, everything else in PostgreSQL. Any number of processes work on
 * one database; each instance is moved by one of them at a time, step by step (step.ts).
 */

import type { Sql } from "../../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../../infrastructure/infrastructure.ts";
import type { Jobs, Queue } from "../../../infrastructure/jobs/jobs.ts";
import type { Workers } from "../../../infrastructure/workers/workers.ts";
import type { ProcessEngine } from "../../engine.ts";
import type { ServiceTaskJob, ServiceTasks } from "../../serviceTasks.ts";
import { deploy } from "./deploy.ts";
import type { EngineContext, TimerJob } from "./engineContext.ts";
import { fireTimer } from "./fireTimer.ts";
import { completeTask, findStarted, setVariables, start, terminate } from "./instances.ts";
import { createModels } from "./models.ts";
import { rerun, serviceTasksOf } from "./serviceTasks.ts";

export interface EmbeddedEngine {
  readonly engine: ProcessEngine;
  /** For whoever carries service tasks out. */
  readonly serviceTasks: ServiceTasks;
  readonly jobs: Queue<ServiceTaskJob>;
  /** Begins to fire timers. */
  work(): void;
}

const timersAtOnce = 4;

export async function createEmbeddedEngine(
  sql: Sql,
  { log, jobs, workers }: { log: Infrastructure["log"]; jobs: Jobs; workers: Workers },
): Promise<EmbeddedEngine> {
  const context: EngineContext = {
    sql,
    log,
    workers,
    models: createModels(workers),
    serviceTasks: await jobs.queue<ServiceTaskJob>("service-task", {
      groupOf: ({ tenant_id }) => String(tenant_id),
      tenantOf: ({ tenant_id }) => tenant_id,
    }),
    timers: await jobs.queue<TimerJob>("process-timer", { tenantOf: ({ tenant_id }) => tenant_id }),
  };
  const engine: ProcessEngine = {
    deploy: (deployment) => deploy(context, deployment),
    findStarted: (tenant, formSession) => findStarted(context, tenant, formSession),
    start: (instance) => start(context, instance),
    completeTask: (completion) => completeTask(context, completion),
    setVariables: (corrections) => setVariables(context, corrections),
    terminate: (termination) => terminate(context, termination),
    rerun: (wanted) => rerun(context, wanted),
  };
  return {
    engine,
    serviceTasks: serviceTasksOf(context),
    jobs: context.serviceTasks,
    work: () => context.timers.work(timersAtOnce, (job, { retries }) => fireTimer(context, job, retries)),
  };
}
