/**
 * The embedded process engine: bpmn-elements in memory, everything else in PostgreSQL. Any number of processes work on
 * one database; each instance is moved by one of them at a time, step by step (step.ts).
 */

import type { Sql } from "../../database/connect.ts";
import type { Deps } from "../../deps.ts";
import type { Jobs, Queue } from "../../jobs/jobs.ts";
import type { ProcessEngine } from "../../processEngine.ts";
import type { Workers } from "../../workers/workers.ts";
import type { ServiceTaskJob, ServiceTasks } from "../serviceTask.ts";
import { deploy } from "./deploy.ts";
import { completeTask, findStarted, setVariables, start, terminate } from "./instances.ts";
import { createModels } from "./models.ts";
import { rerun, serviceTasksOf } from "./serviceTasks.ts";
import type { TimerJob, Within } from "./step.ts";
import { fireTimer } from "./timersDue.ts";

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
  { log, jobs, workers }: { log: Deps["log"]; jobs: Jobs; workers: Workers },
): Promise<EmbeddedEngine> {
  const within: Within = {
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
    deploy: (deployment) => deploy(within, deployment),
    findStarted: (tenant, formSession) => findStarted(within, tenant, formSession),
    start: (instance) => start(within, instance),
    completeTask: (completion) => completeTask(within, completion),
    setVariables: (corrections) => setVariables(within, corrections),
    terminate: (termination) => terminate(within, termination),
    rerun: (wanted) => rerun(within, wanted),
  };
  return {
    engine,
    serviceTasks: serviceTasksOf(within),
    jobs: within.serviceTasks,
    work: () => within.timers.work(timersAtOnce, (job, { retries }) => fireTimer(within, job, retries)),
  };
}
