/** A service task belongs to the latest run of its job, however late an earlier one comes to claim it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Jobs, startJobs } from "../../src/infrastructure/jobs/jobs.ts";
import { createLog } from "../../src/infrastructure/log.ts";
import { createEmbeddedEngine } from "../../src/processes/engines/embedded/embeddedEngine.ts";
import type { ServiceTaskJob, ServiceTasks } from "../../src/processes/serviceTasks.ts";
import { oneCall } from "../support/bpmn.ts";
import { deploy, freshKey, incidentOf, incidentsOf, rerun, startInstance } from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
let jobs: Jobs;
let tasks: ServiceTasks;
beforeAll(async () => {
  // It carries no service tasks out: the claims of this file are the only ones.
  server = await startServer({ workers: false });
  const log = createLog("silent");
  jobs = await startJobs(server.sql, { log });
  ({ serviceTasks: tasks } = await createEmbeddedEngine(server.sql, {
    log,
    jobs,
    workers: server.deps.workers,
  }));
});
afterAll(async () => {
  await jobs.stop();
  await server.stop();
});

/** The job of a service task that waits, with its instance. */
async function waitingTask(): Promise<{ readonly id: string; readonly job: () => Promise<ServiceTaskJob> }> {
  const key = freshKey();
  await deploy(server, oneCall(key, { method: "POST", url: "http://127.0.0.1:1/", body: "{}" }));
  const { process_instance_id: id } = await startInstance(server, key);
  const job = async () => {
    const [row] = await server.sql<ServiceTaskJob[]>`
      select id::text as service_task_id, tenant_id::float8 as tenant_id, rerun
      from waybill.service_tasks
      where process_instance_id = ${id}`;
    if (!row) throw new Error("the instance has no service task");
    return row;
  };
  return { id, job };
}

test("an earlier run of the job, which was paused, takes nothing from a later one", async () => {
  const { id, job } = await waitingTask();
  const later = await tasks.claim(await job(), 1);
  expect(later).toBeDefined();
  expect(await tasks.claim(await job(), 0)).toBeUndefined();
  if (later) await tasks.markSent(later);
  expect(await tasks.claim(await job(), 0)).toBeUndefined();
  expect(await incidentsOf(server, id)).toEqual([]);
});

test("a later run takes what an earlier one left before it sent anything", async () => {
  const { id, job } = await waitingTask();
  const first = await tasks.claim(await job(), 0);
  const second = await tasks.claim(await job(), 1);
  expect([first?.run.attempt, second?.run.attempt]).toEqual([1, 2]);
  expect(await incidentsOf(server, id)).toEqual([]);
});

test("a later run makes an incident of what an earlier one has sent; its rerun begins to count anew", async () => {
  const { id, job } = await waitingTask();
  const first = await tasks.claim(await job(), 3);
  if (first) await tasks.markSent(first);
  expect(await tasks.claim(await job(), 4)).toBeUndefined();
  const incident = await incidentOf(server, id);
  expect(incident).toMatchObject({ type: "interrupted", request_sent: "unknown" });
  await rerun(server, incident.incident_id);
  expect((await tasks.claim(await job(), 0))?.run.attempt).toBe(2);
});
