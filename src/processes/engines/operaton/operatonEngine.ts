/**
 * The driver for an engine of the Camunda 7 family beside Waybill: Operaton or Camunda 7, through the REST interface
 * that they share. Processes, instances, tasks and variables are the engine's. Waybill keeps only what it cannot: who
 * started an instance with which files, and what has become of a service task's request. See
 * docs/decisions/processes.md.
 *
 * A tenant is a tenant id of the engine, its slug. The engine compares it only where a call names it, so every call
 * names it or its answer is compared.
 */
import type { EngineConfig } from "../../../infrastructure/config.ts";
import type { Infrastructure } from "../../../infrastructure/infrastructure.ts";
import type { Jobs } from "../../../infrastructure/jobs/jobs.ts";
import type { ProcessEngine } from "../../engine.ts";
import type { EngineDriver } from "../../engineDriver.ts";
import { followJob } from "./binding/followVariables.ts";
import { findRoots } from "./binding/roots.ts";
import { findDefinition, findVersion, listDefinitions, listVersions, readBpmn } from "./definitions.ts";
import { deploy, validate } from "./deploy.ts";
import { createEngineHealth, type EngineHealth } from "./engineHealth.ts";
import { listIncidents } from "./incidents/listIncidents.ts";
import { rerun } from "./incidents/rerun.ts";
import { findInstance, findStarters, listInstances, setVariables, terminate } from "./instances.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { completeTaskOnce, startOnce } from "./repeatedRequests.ts";
import { listReportInstances } from "./reports.ts";
import { createEngineRest } from "./rest.ts";
import { problemOf } from "./restErrors.ts";
import { createServiceTaskDriver } from "./serviceTasks/serviceTaskDriver.ts";
import { findStarted, settleJob } from "./start.ts";
import { assignTask, claimTask, findTask, findTaskForm, listTasks, unclaimTask } from "./userTasks.ts";
import { readFile, readVariables } from "./variables.ts";

/** Throws `ConfigError` if the engine is not one that Waybill can work with. One that is away is checked later. */
export async function createOperatonEngine(
  infrastructure: Infrastructure,
  { config, jobs }: { readonly config: EngineConfig; readonly jobs: Jobs },
): Promise<EngineDriver> {
  const { sql, log, workers, caches } = infrastructure;
  const rest = createEngineRest(config);
  const context = { sql, log, config: infrastructure.config, workers, caches, rest };
  const health = createEngineHealth(context);
  await health.start();
  await jobs.recur({
    name: "engine-check",
    everySeconds: checkSeconds,
    run: async () => {},
    runHere: () => health.look(),
  });
  const tasks = createServiceTaskDriver(context);
  return {
    engine: portOf(context, health),
    serviceTasks: tasks.serviceTasks,
    work: async (carryOut) => {
      await jobs.recur(settleJob(context));
      await jobs.recur(followJob(context, { draining: infrastructure.draining }));
      await tasks.work(carryOut, jobs);
    },
  };
}

/** How often an engine that was away at the start is looked for. */
const checkSeconds = 10;

function portOf(context: OperatonContext, health: EngineHealth): ProcessEngine {
  return translated({
    warnings: () => health.warnings(),
    deploy: (deployment) => deploy(context, deployment),
    validate: (model) => validate(context, model),
    listDefinitions: (tenant) => listDefinitions(context, tenant),
    findDefinition: (tenant, processKey) => findDefinition(context, tenant, processKey),
    listVersions: (tenant, processKey, page) => listVersions(context, tenant, { processKey, ...page }),
    findVersion: (tenant, processKey, version) => findVersion(context, tenant, { processKey, version }),
    readBpmn: (tenant, definitionId) => readBpmn(context, tenant, definitionId),
    start: (instance) => startOnce(context, instance),
    findStarted: (tenant, formSession) => findStarted(context, tenant, formSession),
    findInstance: (tenant, processInstanceId) => findInstance(context, tenant, processInstanceId),
    listInstances: (tenant, query) => listInstances(context, tenant, query),
    findStarters: (tenant, processInstanceIds) => findStarters(context, tenant, processInstanceIds),
    listReportInstances: (tenant, query) => listReportInstances(context, tenant, query),
    terminate: (termination) => terminate(context, termination),
    readVariables: (tenant, processInstanceId) => readVariables(context, tenant, processInstanceId),
    readFile: (tenant, variable) => readFile(context, tenant, variable),
    setVariables: (corrections) => setVariables(context, corrections),
    listTasks: (tenant, query) => listTasks(context, tenant, query),
    findTask: (tenant, taskId) => findTask(context, tenant, taskId),
    findTaskForm: (tenant, task) => findTaskForm(context, tenant, task),
    completeTask: (completion) => completeTaskOnce(context, completion),
    claimTask: (change) => claimTask(context, change),
    unclaimTask: (change) => unclaimTask(context, change),
    assignTask: (assignment) => assignTask(context, assignment),
    findRoots: (tenant, processInstanceIds) => findRoots(context, tenant, processInstanceIds),
    listIncidents: (tenant, query) => listIncidents(context, tenant, query),
    rerun: (wanted) => rerun(context, wanted),
  });
}

const isRead = (method: string) => /^(find|list|read)/.test(method);

/** Every error of the engine leaves the driver as a Problem. */
function translated(port: ProcessEngine): ProcessEngine {
  const methods = Object.entries(port).map(([name, method]) => [
    name,
    async (...args: never[]) => {
      try {
        return await (method as (...args: never[]) => unknown)(...args);
      } catch (error) {
        throw problemOf(error, { isRead: isRead(name) });
      }
    },
  ]);
  return Object.fromEntries(methods) as unknown as ProcessEngine;
}
