/** A service task belongs to the latest run of its job, even if an earlier run claims it later. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Jobs, startJobs } from "../../src/infrastructure/jobs/jobs.ts";
import { createLog } from "../../src/infrastructure/log.ts";
import {
  createEmbeddedEngine,
  type EmbeddedEngine,
} from "../../src/processes/engines/embedded/embeddedEngine.ts";
import type { ServiceTaskJob } from "../../src/processes/engines/embedded/serviceTaskQueries.ts";
import { LostClaim } from "../../src/processes/serviceTasks.ts";
import { apiCall, end, flow, model, oneCall, start } from "../support/bpmn.ts";
import { deploy, freshKey, incidentOf, incidentsOf, rerun, startInstance } from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
let jobs: Jobs;
let engine: EmbeddedEngine;
beforeAll(async () => {
  // This server executes no service tasks, so the only claims are those of this file.
  server = await startServer({ workers: false });
  const log = createLog("silent");
  jobs = await startJobs(server.sql, { log });
  engine = await createEmbeddedEngine(server.sql, { log, jobs, workers: server.deps.workers });
});
afterAll(async () => {
  await jobs.stop();
  await server.stop();
});

/** A new instance, and the job of its waiting service task. */
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

test("an earlier run that was paused cannot claim the task of a later run", async () => {
  const { id, job } = await waitingTask();
  const later = await engine.claim(await job(), 1);
  expect(later).toBeDefined();
  expect(await engine.claim(await job(), 0)).toBeUndefined();
  if (later) await engine.serviceTasks.markSent(later);
  expect(await engine.claim(await job(), 0)).toBeUndefined();
  expect(await incidentsOf(server, id)).toEqual([]);
});

test("a later run claims a task that an earlier run left before sending", async () => {
  const { id, job } = await waitingTask();
  const first = await engine.claim(await job(), 0);
  const second = await engine.claim(await job(), 1);
  expect([first?.run.attempt, second?.run.attempt]).toEqual([1, 2]);
  expect(await incidentsOf(server, id)).toEqual([]);
});

test("a task that an earlier run has sent becomes an incident in a later run", async () => {
  const { id, job } = await waitingTask();
  const first = await engine.claim(await job(), 3);
  if (first) await engine.serviceTasks.markSent(first);
  expect(await engine.claim(await job(), 4)).toBeUndefined();
  const incident = await incidentOf(server, id);
  expect(incident).toMatchObject({ type: "interrupted", request_sent: "unknown" });
  await rerun(server, incident.incident_id);
  expect((await engine.claim(await job(), 0))?.run.attempt).toBe(2);
});

test("tasks of several instances are claimed and marked at the same time, each for itself", async () => {
  const waiting = await Promise.all([1, 2, 3, 4].map(() => waitingTask()));
  const jobs = await Promise.all(waiting.map(({ job }) => job()));
  const ended = { ...jobs[0], service_task_id: crypto.randomUUID() } as ServiceTaskJob;
  const claims = await Promise.all([...jobs, ended].map((job) => engine.claim(job, 0)));
  expect(claims.map((claim) => claim?.run.processInstanceId)).toEqual([
    ...waiting.map(({ id }) => id),
    undefined,
  ]);
  const [first, ...others] = claims.filter((claim) => claim !== undefined);
  if (first) await engine.serviceTasks.markSent(first);
  const marks = [first, ...others].map(async (claim) => claim && (await engine.serviceTasks.markSent(claim)));
  const results = await Promise.allSettled(marks);
  expect(results.map(({ status }) => status)).toEqual([
    "rejected",
    ...others.map(() => "fulfilled" as const),
  ]);
  expect((results[0] as PromiseRejectedResult).reason).toBeInstanceOf(LostClaim);
});

test("two tasks of one activity that are claimed at the same time have different attempts", async () => {
  const key = freshKey();
  const call = apiCall("call", { method: "POST", url: "http://127.0.0.1:1/", body: "{}" });
  const ways = ["a", "b"].map((id) => [`<manualTask id="${id}"/>`, flow("g", id, "call")]);
  const gateway = '<parallelGateway id="g"/>';
  const parts = [start(), gateway, flow("start", "g"), ...ways.flat(), call, flow("call", "end"), end()];
  await deploy(server, model(key, parts.join("\n")));
  const { process_instance_id: id } = await startInstance(server, key);
  const jobs = await server.sql<ServiceTaskJob[]>`
    select id::text as service_task_id, tenant_id::float8 as tenant_id, rerun
    from waybill.service_tasks
    where process_instance_id = ${id}`;
  const claims = await Promise.all(jobs.map((job) => engine.claim(job, 0)));
  expect(claims.map((claim) => claim?.run.attempt).toSorted()).toEqual([1, 2]);
});
