/**
 * The embedded process engine: bpmn-elements in memory, everything else in PostgreSQL. Any number of server processes
 * share one database. One of them at a time runs a step of an instance (step.ts).
 */
import type { Sql } from "../../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../../infrastructure/infrastructure.ts";
import type { Jobs } from "../../../infrastructure/jobs/jobs.ts";
import type { Workers } from "../../../infrastructure/workers/workers.ts";
import type { ProcessEngine } from "../../engine.ts";
import type { EngineDriver } from "../../engineDriver.ts";
import { listDefinitions } from "./definitionQueries.ts";
import { findDefinition, findVersions, readBpmn } from "./definitions.ts";
import { deploy, validate } from "./deploy.ts";
import type { EngineContext, TimerJob } from "./engineContext.ts";
import { fireTimer } from "./fireTimer.ts";
import { listIncidents } from "./incidentQueries.ts";
import { listInstances } from "./instanceList.ts";
import { findInstance, findStarted, findStarters } from "./instanceQueries.ts";
import { setVariables, start, terminate } from "./instances.ts";
import { createModels } from "./models.ts";
import type { ServiceTaskJob } from "./serviceTaskQueries.ts";
import { type ClaimJob, claimsOf, rerun, serviceTasksOf, workOnTasks } from "./serviceTasks.ts";
import { createStartForms } from "./startForms.ts";
import { createTaskBatches } from "./taskBatches.ts";
import { listReportInstances } from "./transactions.ts";
import { findTask, findTaskForm, listTasks } from "./userTaskQueries.ts";
import { assignTask, claimTask, completeTask, unclaimTask } from "./userTasks.ts";
import { readFile, readVariables } from "./variableQueries.ts";

export interface EmbeddedEngine extends EngineDriver {
  readonly claim: ClaimJob;
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
    startForms: createStartForms(workers),
    taskBatches: createTaskBatches(sql),
    serviceTasks: await jobs.queue<ServiceTaskJob>("service-task", {
      groupOf: ({ tenant_id }) => String(tenant_id),
      tenantOf: ({ tenant_id }) => tenant_id,
    }),
    timers: await jobs.queue<TimerJob>("process-timer", { tenantOf: ({ tenant_id }) => tenant_id }),
  };
  const claim = claimsOf(context);
  return {
    engine: portOf(context),
    serviceTasks: serviceTasksOf(context),
    claim,
    work: async (carryOut) => {
      context.timers.work(timersAtOnce, (job, { retries }) => fireTimer(context, job, retries));
      workOnTasks(context, claim, carryOut);
    },
  };
}

function portOf(context: EngineContext): ProcessEngine {
  const { sql } = context;
  return {
    deploy: (deployment) => deploy(context, deployment),
    validate: (model) => validate(context, model),
    listDefinitions: ({ id }) => listDefinitions(sql, id),
    findDefinition: (tenant, processKey) => findDefinition(context, tenant, { processKey }),
    listVersions: (tenant, processKey, page) => findVersions(context, tenant, { processKey, ...page }),
    findVersion: (tenant, processKey, version) => findDefinition(context, tenant, { processKey, version }),
    readBpmn: (tenant, definitionId) => readBpmn(context, tenant, definitionId),
    start: (instance) => start(context, instance),
    findStarted: ({ id }, formSession) => findStarted(sql, id, formSession),
    findInstance: ({ id }, processInstanceId) => findInstance(sql, id, processInstanceId),
    listInstances: ({ id }, query) => listInstances(sql, id, query),
    findStarters: ({ id }, processInstanceIds) => findStarters(sql, id, processInstanceIds),
    // There are no call activities.
    findRoots: async (_tenant, ids) => new Map(ids.map((id) => [id, id])),
    listReportInstances: ({ id }, query) => listReportInstances(sql, id, query),
    terminate: (termination) => terminate(context, termination),
    readVariables: ({ id }, processInstanceId) => readVariables(sql, processInstanceId, id),
    readFile: ({ id }, variable) => readFile(sql, variable, id),
    setVariables: (corrections) => setVariables(context, corrections),
    listTasks: ({ id }, query) => listTasks(sql, id, query),
    findTask: ({ id }, taskId) => findTask(sql, id, taskId),
    findTaskForm: ({ id }, task) => findTaskForm(sql, id, task),
    completeTask: (completion) => completeTask(context, completion),
    claimTask: (change) => claimTask(context, change),
    unclaimTask: (change) => unclaimTask(context, change),
    assignTask: (assignment) => assignTask(context, assignment),
    listIncidents: ({ id }, query) => listIncidents(sql, id, query),
    rerun: (wanted) => rerun(context, wanted),
    warnings: async () => [],
  };
}
