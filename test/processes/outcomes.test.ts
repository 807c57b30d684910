/** Answers that cannot be stored during an outage of the database survive the process that received them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../src/infrastructure/log.ts";
import { createSealing } from "../../src/infrastructure/sealing.ts";
import { createOutcomes, type KeptOutcome } from "../../src/processes/serviceTaskOutcomes.ts";
import { type Answer, startPartner } from "../infrastructure/outbound/partner.ts";
import { boundaryError, end, flow, model, oneCall, serviceTask, start, userTask } from "../support/bpmn.ts";
import { type FaultyProxy, startFaultyProxy } from "../support/faultyProxy.ts";
import {
  allowLoopback,
  deploy,
  freshKey,
  incidentOf,
  incidentsOf,
  reaches,
  startInstance,
  tasksOf,
} from "../support/processes.ts";
import { secretsFrom, startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { startWaybill, type WaybillProcess } from "../support/waybillProcess.ts";

setDefaultTimeout(180_000);
const secret = "a secret that all of these processes share";
const environment = {
  ...secretsFrom(secret),
  ...allowLoopback,
};
let server: TestServer;
let proxy: FaultyProxy;
let dataDir: string;
const processes: WaybillProcess[] = [];

/** The test's own server reaches the database directly. The processes with the service tasks use a proxy. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "waybill-outcomes-"));
  server = await startServer({ environment, workers: false });
  proxy = await startFaultyProxy(new URL(server.database.url));
});
afterAll(async () => {
  for (const child of processes) child.kill("SIGKILL");
  await Promise.all(processes.map(({ exited }) => exited));
  await proxy.close();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function startProcess(): Promise<WaybillProcess> {
  const url = new URL(server.database.url);
  url.host = proxy.url.host;
  const child = startWaybill({
    cwd: dataDir,
    environment: { DATABASE_URL: url.href, DATA_DIR: dataDir, ...environment },
  });
  processes.push(child);
  await child.listening;
  return child;
}

const folder = () => join(dataDir, "outcomes");
const kept = async () => (await readdir(folder()).catch(() => [])).filter((name) => !name.endsWith(".part"));

/** A receiver that answers when the test allows it. */
async function patientPartner(status: number, body: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer: Answer = async (_request, response) => {
    await promise;
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  };
  return { ...(await startPartner(answer)), answerAll: resolve };
}

test("the next process stores answers that came during a database outage, and sends nothing twice", async () => {
  const partner = await patientPartner(200, '{"name":"Siti Rahma"}');
  const child = await startProcess();
  const key = freshKey();
  const url = `http://127.0.0.1:${partner.port}/`;
  await deploy(server, oneCall(key, { method: "POST", url, body: "{}", result_variable: "answer" }));
  const ids = await Promise.all(
    Array.from({ length: 5 }, async () => (await startInstance(server, key)).process_instance_id),
  );
  await until(() => partner.received.length === 5);
  proxy.set("refuse");
  partner.answerAll();
  await until(async () => (await kept()).length === 5);
  for (const name of await kept()) {
    expect((await stat(join(folder(), name))).mode & 0o777).toBe(0o600);
    expect(await Bun.file(join(folder(), name)).text()).not.toContain("Siti");
  }
  child.kill("SIGKILL");
  await child.exited;
  proxy.set("pass");
  const next = await startProcess();
  for (const id of ids) {
    await reaches(server, id, "completed", { seconds: 60 });
    const api = await server.processes();
    const variables = await api.getProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id });
    expect(variables.answer?.value).toBe('{"name":"Siti Rahma"}');
    expect(await incidentsOf(server, id)).toEqual([]);
  }
  await until(async () => (await kept()).length === 0);
  await Bun.sleep(1_000);
  expect(partner.received).toHaveLength(5);
  next.kill("SIGTERM");
  expect(await next.exited).toBe(0);
  await partner.stop();
});

test("a process that is asked to end during an outage of the database leaves its answers on disk", async () => {
  const partner = await patientPartner(422, '{"why":"no"}');
  const child = await startProcess();
  const key = freshKey();
  const { event, error } = boundaryError("refused", "call");
  const url = `http://127.0.0.1:${partner.port}/`;
  const call = serviceTask("call", "api-call", {
    method: "POST",
    url,
    body: "{}",
    redirect_failures_to_error_boundary: "true",
  });
  const flows = [flow("start", "call", "end"), flow("refused", "fix", "end")];
  await deploy(
    server,
    model(key, [start(), call, event, userTask("fix"), end(), ...flows].join("\n"), error),
  );
  const plain = freshKey();
  await deploy(server, oneCall(plain, { method: "POST", url, body: "{}" }));
  const { process_instance_id: caught } = await startInstance(server, key);
  const { process_instance_id: refused } = await startInstance(server, plain);
  await until(() => partner.received.length === 2);
  proxy.set("refuse");
  partner.answerAll();
  await until(async () => (await kept()).length === 2);
  child.kill("SIGTERM");
  await Promise.race([child.exited, Bun.sleep(45_000)]);
  proxy.set("pass");
  const next = await startProcess();
  await until(async () => (await tasksOf(server, caught)).length === 1, 60);
  await until(async () => (await kept()).length === 0, 60);
  expect(await incidentOf(server, refused)).toMatchObject({
    type: "rejected",
    request_sent: "yes",
    attempt: 1,
  });
  expect(partner.received).toHaveLength(2);
  next.kill("SIGTERM");
  await next.exited;
  await partner.stop();
});

const outcome = (attempt: number): KeptOutcome => ({
  serviceTaskId: "0197d000-0000-7000-8000-000000000000",
  attempt,
  outcome: { kind: "completed", variables: { a: { type: "String", value: "x".repeat(1_000) } } },
});

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const made = await mkdtemp(join(tmpdir(), "waybill-kept-"));
  try {
    await use(join(made, "outcomes"));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

const all = async (outcomes: ReturnType<typeof createOutcomes>) => {
  const found: KeptOutcome[] = [];
  await outcomes.storeLeftOver(async (one) => {
    found.push(one);
    throw new Error("not yet");
  });
  return found.map(({ attempt }) => attempt).toSorted();
};

test("the folder has a limit of files and of bytes", async () => {
  await withFolder(async (folder) => {
    const log = createLog("silent");
    const few = createOutcomes({ folder, sealing: undefined, log, mostFiles: 3 });
    for (const attempt of [1, 2, 3, 4]) await few.keep(outcome(attempt));
    expect(await all(few)).toEqual([1, 2, 3]);
    const small = createOutcomes({ folder, sealing: undefined, log, mostBytes: 3_000 });
    await small.keep(outcome(5));
    expect(await all(small)).toEqual([1, 2, 3]);
  });
});

test("the id of a task may be any text of an engine", async () => {
  await withFolder(async (folder) => {
    const outcomes = createOutcomes({ folder, sealing: undefined, log: createLog("silent") });
    const ids = ["4711", "call:1.2", "é:1"];
    for (const serviceTaskId of ids) await outcomes.keep({ ...outcome(1), serviceTaskId });
    const found: string[] = [];
    await outcomes.storeLeftOver(async ({ serviceTaskId }) => void found.push(serviceTaskId));
    expect(found.toSorted()).toEqual(ids);
    expect(await all(outcomes)).toEqual([]);
  });
});

test("a file of another key, a renamed one and a cut one stay, and do not hold up the others", async () => {
  await withFolder(async (folder) => {
    const log = createLog("silent");
    const sealing = createSealing([secret], "outcomes on disk");
    const outcomes = createOutcomes({ folder, sealing, log });
    for (const attempt of [1, 2, 3]) await outcomes.keep(outcome(attempt));
    const name = (attempt: number) => join(folder, `${outcome(1).serviceTaskId}.${attempt}`);
    await Bun.write(name(4), Bun.file(name(1)));
    await Bun.write(name(2), (await Bun.file(name(2)).bytes()).subarray(0, 40));
    const foreign = createOutcomes({
      folder,
      sealing: createSealing(["y".repeat(32)], "outcomes on disk"),
      log,
    });
    await foreign.keep(outcome(5));
    expect(await all(outcomes)).toEqual([1, 3]);
    await outcomes.remove(outcome(1));
    expect(await all(outcomes)).toEqual([3]);
  });
});
