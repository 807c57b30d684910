/** Several processes share the tasks of an engine, which may be away, and leave nothing behind when they end. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import postgres from "postgres";
import { closeAbandoned } from "../../../src/processes/engines/operaton/serviceTasks/closeAbandoned.ts";
import { storeLate } from "../../../src/processes/serviceTaskWorker.ts";
import { apiCall, end, flow, model, start } from "../../support/bpmn.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/faultyProxy.ts";
import { freshKey } from "../../support/processes.ts";
import { until } from "../../support/until.ts";
import { startEngineProxy } from "./engineProxy.ts";
import { type Remote, startRemote, type TestWorker, type WorkerOptions, warnings } from "./remote.ts";

setDefaultTimeout(120_000);
let remote: Remote;
let workers: TestWorker[] = [];
let proxy: FaultyProxy;
beforeAll(async () => {
  remote = await startRemote();
  proxy = await startFaultyProxy(new URL(remote.url));
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
});
afterAll(async () => {
  await proxy.close();
  await remote.stop();
});

async function work(options?: WorkerOptions): Promise<TestWorker> {
  const worker = await remote.work(options);
  workers.push(worker);
  return worker;
}

/** A worker's context, without its work. */
async function startIdle(): Promise<TestWorker> {
  const worker = await remote.work();
  await worker.stop();
  return worker;
}

const at = (host: string) => remote.url.replace(new URL(remote.url).host, host);

async function deployCall(path: string): Promise<string> {
  const processKey = freshKey("worker_share");
  const call = apiCall("call", { method: "POST", url: remote.partnerUrl + path, body: "{}" });
  await remote.deploy(model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n")));
  return processKey;
}

const startMany = (processKey: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => remote.start(processKey)));
const delays = ({ logged }: TestWorker) => logged.filter(({ msg }) => msg === "Service tasks are delayed");

test("two processes share the tasks, and each request goes out once", async () => {
  remote.answer = (_, response) => void setTimeout(() => response.end(), 20);
  const processKey = await deployCall("/shared");
  const ids = await startMany(processKey, 80);
  await Promise.all([work(), work()]);
  for (const id of ids) await until(() => remote.isEnded(id), 60);
  expect(
    remote
      .keys("/shared")
      .map((key) => key.split(":")[0])
      .toSorted(),
  ).toEqual(ids.toSorted());
  const claimers = await remote.server.sql`
    select worker, count(*)::int as tasks
    from waybill.external_tasks
    where process_key = ${processKey}
    group by worker`;
  expect(claimers).toHaveLength(2);
});

test("an engine that is away is one line in the log, and its tasks go on when it is back", async () => {
  remote.answer = (_, response) => void response.end();
  const processKey = await deployCall("/away");
  proxy.set("refuse");
  const worker = await work({ url: at(proxy.url.host) });
  const id = await remote.start(processKey);
  await Bun.sleep(6_000);
  expect(delays(worker)).toHaveLength(1);
  expect(warnings(worker)).toHaveLength(1);
  proxy.set("pass");
  await until(() => remote.isEnded(id), 40);
  expect(remote.keys("/away")).toHaveLength(1);
});

test("an answer that the engine does not take while it is away is told later, and nothing is sent again", async () => {
  remote.answer = (_, response) => void setTimeout(() => response.end(), 2_000);
  const processKey = await deployCall("/told-late");
  const worker = await work({ url: at(proxy.url.host) });
  const id = await remote.start(processKey);
  await until(() => remote.keys("/told-late").length === 1);
  proxy.set("refuse");
  await Bun.sleep(4_000);
  expect(await remote.isEnded(id)).toBe(false);
  proxy.set("pass");
  await until(() => remote.isEnded(id), 90);
  expect(remote.keys("/told-late")).toHaveLength(1);
  await worker.stop();
});

test("an error of the engine's own is no outage", async () => {
  remote.answer = (_, response) => void response.end();
  let failing = 4;
  // As Operaton answers now and then under load.
  const front = createServer(async (request, response) => {
    if (request.url?.endsWith("fetchAndLock") && failing-- > 0) {
      response.writeHead(500, { "content-type": "application/json" });
      return void response.end('{"type":"NullPointerException","message":null,"code":0}');
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { origin } = new URL(remote.url);
    const { method = "GET", headers } = request;
    const { "content-type": type = "application/json" } = headers;
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
    const answer = await fetch(origin + request.url, { method, headers: { "content-type": type }, ...body });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const processKey = await deployCall("/hiccup");
  const worker = await work({ url: at(`127.0.0.1:${(front.address() as AddressInfo).port}`) });
  const id = await remote.start(processKey);
  await until(() => remote.isEnded(id), 20);
  expect(failing).toBeLessThan(0);
  expect(delays(worker)).toEqual([]);
  await worker.stop();
  front.closeAllConnections();
  front.close();
});

test("tasks of a lost answer are given back while no others are fetched", async () => {
  remote.answer = (_, response) => void response.end();
  const { origin } = new URL(remote.url);
  let isLost = true;
  let asking = 0;
  const overlaps: number[] = [];
  const front = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 120,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const isFetch = pathname.endsWith("/fetchAndLock");
      if (pathname.endsWith("/external-task")) {
        await Bun.sleep(300);
        overlaps.push(asking);
      }
      asking += Number(isFetch);
      try {
        const { method, headers } = request;
        const body = method === "POST" ? await request.arrayBuffer() : undefined;
        const answer = await fetch(origin + pathname + search, { method, headers, body });
        const bytes = await answer.arrayBuffer();
        const hasTasks = isFetch && bytes.byteLength > 2;
        if (hasTasks && isLost) {
          isLost = false;
          return new Response("no upstream", { status: 502 });
        }
        return new Response(answer.status === 204 ? null : bytes, { status: answer.status });
      } finally {
        asking -= Number(isFetch);
      }
    },
  });
  const processKey = await deployCall("/given-back");
  const ids = await startMany(processKey, 3);
  const worker = await work({ url: at(front.url.host) });
  // Without a task, the next question waits: meanwhile nothing says that the engine is back.
  for (const id of ids) await until(() => remote.isEnded(id), 30);
  expect(overlaps).toEqual([0]);
  expect(remote.keys("/given-back")).toHaveLength(3);
  await worker.stop();
  await front.stop(true);
});

test("a process that ends finishes its calls, and the others get the rest at once", async () => {
  remote.answer = (_, response) => void setTimeout(() => response.end(), 1_500);
  const processKey = await deployCall("/ending");
  const first = await work();
  const ids = await startMany(processKey, 5);
  await until(() => remote.keys("/ending").length === 5);
  const ended = first.stop();
  const later = await remote.start(processKey);
  await ended;
  for (const id of ids) expect(await remote.isEnded(id)).toBe(true);
  const began = performance.now();
  await work();
  await until(() => remote.isEnded(later), 30);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(remote.keys("/ending")).toHaveLength(6);
});

test("an outcome that waited on disk completes its task, also if another process had it", async () => {
  remote.answer = () => {};
  const processKey = await deployCall("/from-disk");
  const worker = await work();
  const id = await remote.start(processKey);
  await until(() => remote.keys("/from-disk").length === 1);
  const [task] = await remote.ask<{ id: string }[]>("GET", `/external-task?processInstanceId=${id}`);
  const outcome = { kind: "completed", variables: { r: { type: "String", value: "late" } } } as const;
  const other = await work();
  const kept = { serviceTaskId: task?.id ?? "", attempt: 1, outcome };
  await storeLate(kept, other.tasks, worker.context.log);
  expect(await remote.isEnded(id)).toBe(true);
  expect(await remote.variable(id, "r")).toMatchObject({ value: "late" });
  await storeLate(kept, other.tasks, worker.context.log);
});

/** Tasks of the engine whose rows some other process has left. */
async function leaveRows(processKey: string) {
  const tasks = await Promise.all([1, 2, 3].map(() => taskOf(processKey)));
  const add = ({ id, instance }: Task, state: string, age: string) => remote.server.sql`
    insert into waybill.external_tasks
      (id, tenant_id, process_instance_id, process_key, definition_id, activity_id, state, attempt, claim, worker,
       redirects, changed_at)
    values
      (${id}, 1, ${instance}, ${processKey}, 'd', 'call', ${state}, 1, gen_random_uuid(), ${processKey}, false,
       now() - ${age}::interval)`;
  const states = async () => {
    const rows = await remote.server.sql<{ id: string; state: string }[]>`
      select id, state
      from waybill.external_tasks
      where worker = ${processKey}`;
    return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
  };
  return { tasks: tasks as [Task, Task, Task], add, states };
}

interface Task {
  readonly id: string;
  readonly instance: string;
}

async function taskOf(processKey: string): Promise<Task> {
  const instance = await remote.start(processKey);
  const [task] = await remote.ask<{ id: string }[]>("GET", `/external-task?processInstanceId=${instance}`);
  return { id: task?.id ?? "", instance };
}

test("rows of tasks that have ended at the engine are closed, and closed ones are removed later", async () => {
  const { context } = await startIdle();
  const { tasks, add, states } = await leaveRows(await deployCall("/kept"));
  const [open, deleted, completed] = tasks;
  await remote.ask("DELETE", `/process-instance/${deleted.instance}`);
  const workerId = "another";
  await remote.ask("POST", `/external-task/${completed.id}/lock`, { workerId, lockDuration: 60_000 });
  await remote.ask("POST", `/external-task/${completed.id}/complete`, { workerId });
  await add(open, "running", "2 hours");
  await add(deleted, "incident", "2 hours");
  await add(completed, "answered", "2 hours");
  const later = { ...deleted, id: `${deleted.id}-new` };
  await add(later, "answered", "1 minute");
  await add({ ...deleted, id: "done-old" }, "done", "31 days");
  await closeAbandoned(context);
  expect(await states()).toEqual({
    [open.id]: "running",
    [deleted.id]: "done",
    [completed.id]: "done",
    [later.id]: "answered",
  });
  await remote.ask("DELETE", `/process-instance/${open.instance}`);
});

test("an account that may not see the tasks closes nothing, and the log says so", async () => {
  await remote.server.sql`delete from waybill.external_tasks`;
  const blind = startEngineProxy();
  blind.failAnswers(/POST .*\/(external-task|history\/external-task-log)$/, () => Response.json([]));
  const worker = await remote.work({ url: blind.url });
  await worker.stop();
  const { tasks, add, states } = await leaveRows(await deployCall("/hidden"));
  const [open, deleted] = tasks;
  await remote.ask("DELETE", `/process-instance/${deleted.instance}`);
  await add(open, "answered", "2 hours");
  await add(deleted, "sent", "2 hours");
  await add({ ...deleted, id: "forgotten" }, "incident", "200 days");
  await closeAbandoned(worker.context);
  expect(await states()).toEqual({ [open.id]: "answered", [deleted.id]: "sent", forgotten: "done" });
  const said = { count: 2, msg: expect.stringContaining("needs the rights") };
  expect(warnings(worker).at(-1)).toMatchObject(said);
  // With the rights, what has ended is closed.
  blind.failAnswers(undefined);
  await closeAbandoned(worker.context);
  expect(await states()).toMatchObject({ [open.id]: "answered", [deleted.id]: "done" });
  await blind.stop();
  await Promise.all(
    tasks.map(({ instance }) => remote.ask("DELETE", `/process-instance/${instance}`).catch(() => {})),
  );
});

test("a tenant whose receiver hangs leaves room for another tenant", async () => {
  const other = `${remote.slug}-other`;
  await remote.server.sql`insert into waybill.tenants (id, slug) values (2, ${other})`;
  remote.answer = ({ url }, response) => void (url === "/hangs" || response.end());
  const processKey = await deployCall("/hangs");
  const ids = await startMany(processKey, 70);
  await work();
  await until(() => remote.keys("/hangs").length === 64);
  const call = apiCall("call", { method: "POST", url: `${remote.partnerUrl}/quick`, body: "{}" });
  const bpmn = model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n"));
  const form = new FormData();
  form.set("tenant-id", other);
  form.set("m", new File([bpmn.replace("<process ", '<process camunda:historyTimeToLive="1" ')], "m.bpmn"));
  await remote.ask("POST", "/deployment/create", form);
  const path = `/process-definition/key/${processKey}/tenant-id/${other}/start`;
  const { id } = await remote.ask<{ id: string }>("POST", path, {});
  await until(() => remote.isEnded(id), 20);
  expect(remote.keys("/hangs")).toHaveLength(64);
  await Promise.all(ids.map((each) => remote.ask("DELETE", `/process-instance/${each}`)));
});

test("among 60,000 tenants each gets its tasks done", async () => {
  remote.answer = (_, response) => void response.end();
  const owner = postgres(remote.server.database.url, { max: 1 });
  // They get no tables of their own, which would take minutes.
  await owner`set session_replication_role = replica`;
  await owner`
    insert into waybill.tenants (id, slug)
    select n, 'crowd-' || n
    from generate_series(1000, 62000) n`;
  const processKey = await deployCall("/crowd");
  await work();
  const ids = await startMany(processKey, 5);
  await until(async () => (await Promise.all(ids.map(remote.isEnded))).every(Boolean), 40);
  expect(remote.keys("/crowd")).toHaveLength(5);
  await owner`delete from waybill.tenants where id >= 1000`;
  await owner.end();
});
