/** Where a plain worker of external tasks posts twice, loses an answer or ends an instance in silence. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { ServerResponse } from "node:http";
import {
  apiCall,
  boundaryError,
  conditionalFlow,
  end,
  flow,
  model,
  type Properties,
  start,
  userTask,
} from "../../support/bpmn.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/faultyProxy.ts";
import { freshKey } from "../../support/processes.ts";
import { until } from "../../support/until.ts";
import { type Remote, rowOf, startRemote, type TestWorker, type WorkerOptions, warnings } from "./remote.ts";

setDefaultTimeout(120_000);
let remote: Remote;
let workers: TestWorker[] = [];
let proxies: FaultyProxy[] = [];
beforeAll(async () => {
  remote = await startRemote();
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  // Last: a question to the engine whose connection breaks still locks the next task there.
  await Promise.all(proxies.map((proxy) => proxy.close()));
  proxies = [];
});
afterAll(() => remote.stop());

async function work(options?: WorkerOptions): Promise<TestWorker> {
  const worker = await remote.work(options);
  workers.push(worker);
  return worker;
}

/** Starts an instance, and lets another process get its task while the first one waits for the answer. */
async function takenOver(processKey: string, path: string) {
  const proxy = await startFaultyProxy(new URL(remote.url));
  proxies.push(proxy);
  await work({ url: remote.url.replace(new URL(remote.url).host, proxy.url.host) });
  const id = await remote.start(processKey);
  await until(() => remote.keys(path).length === 1);
  const [{ id: taskId } = { id: "" }] = await remote.ask<{ id: string }[]>(
    "GET",
    `/external-task?processInstanceId=${id}`,
  );
  // The first process does not reach the engine, where its last question waits for a while, and its lock expires.
  proxy.set("refuse");
  await Bun.sleep(4_500);
  await remote.ask("POST", `/external-task/${taskId}/unlock`);
  await work();
  return { id, taskId, incident: await remote.incident(id), proxy };
}

const key = () => freshKey("worker_trap");
const post = (path: string, properties: Properties = {}) => ({
  method: "POST",
  url: remote.partnerUrl + path,
  body: "{}",
  ...properties,
});
const json = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

/** A process whose gateway after the call asks for a variable that is missing. */
const limited = (processKey: string, path: string) =>
  model(
    processKey,
    [
      start(),
      apiCall("call", post(path, { result_variable: "r" })),
      `<exclusiveGateway id="g" default="g_end"/>`,
      end(),
      userTask("look"),
      flow("start", "call", "g", "end"),
      conditionalFlow("g", "look", '${r.prop("n").numberValue() > limit}'),
    ].join("\n"),
  );

test("an answer with which the process cannot go on becomes an incident, and a rerun only completes", async () => {
  const [processKey, path] = [key(), "/cannot-go-on"];
  remote.answer = (_, response) => json(response, { n: 3 });
  await remote.deploy(limited(processKey, path));
  await work();
  const id = await remote.start(processKey);
  const incident = await remote.incident(id);
  expect(incident.row).toMatchObject({ state: "incident", type: "process_failed", attempt: 1, sent: "yes" });
  expect(incident.incidentMessage).toStartWith(
    "The integration answered, but the process could not continue:",
  );
  expect(incident.row.message).toContain("limit");
  expect(remote.keys(path)).toHaveLength(1);

  await remote.set(id, { limit: { value: 10, type: "Integer" } });
  await remote.rerun(incident);
  await until(() => remote.isEnded(id), 30);
  expect(remote.keys(path)).toHaveLength(1);
  expect(await remote.incidents(id)).toEqual([]);
  expect(await rowOf(remote.server, incident.configuration)).toMatchObject({ state: "done" });
});

test("an answer that another process could not tell the engine is told by the next one, and nothing is sent", async () => {
  const [processKey, path] = [key(), "/told-by-next"];
  remote.answer = (_, response) => json(response, { n: 3 });
  await remote.deploy(limited(processKey, path));
  const first = await work();
  const id = await remote.start(processKey);
  await until(() => remote.keys(path).length === 1);
  // The engine refuses the answer. Its process ends in between, and its lock expires.
  const [task] = await remote.ask<{ id: string }[]>("GET", `/external-task?processInstanceId=${id}`);
  await until(async () => (await rowOf(remote.server, task?.id ?? "")).state === "answered");
  await remote.set(id, { limit: { value: 10, type: "Integer" } });
  void first.stop();
  await remote.ask("POST", `/external-task/${task?.id}/unlock`);
  await work();
  await until(() => remote.isEnded(id), 30);
  expect(remote.keys(path)).toHaveLength(1);
});

test("a request without an outcome becomes an incident, and a late answer still completes it", async () => {
  const [processKey, path] = [key(), "/interrupted"];
  const answered = Promise.withResolvers<void>();
  remote.answer = async (_, response) => {
    await answered.promise;
    json(response, { n: 3 });
  };
  const call = apiCall("call", post(path, { result_variable: "r" }));
  await remote.deploy(model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n")));
  const { id, incident, proxy } = await takenOver(processKey, path);
  expect(incident.row).toMatchObject({ type: "interrupted", attempt: 1, sent: "unknown" });
  expect(remote.keys(path)).toHaveLength(1);
  proxy.set("pass");
  answered.resolve();
  await until(() => remote.isEnded(id), 30);
  expect(remote.keys(path)).toHaveLength(1);
  expect(await remote.variable(id, "r")).toMatchObject({ type: "Json", value: '{"n":3}' });
});

test("a rerun of an interrupted task sends a second request, with the next attempt in its key", async () => {
  const [processKey, path] = [key(), "/rerun"];
  let isSilent = true;
  remote.answer = (_, response) => (isSilent ? undefined : json(response, {}));
  const call = apiCall("call", post(path));
  await remote.deploy(model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n")));
  const { id, taskId, incident } = await takenOver(processKey, path);
  expect(incident.row).toMatchObject({ type: "interrupted" });
  isSilent = false;
  await remote.rerun(incident);
  await until(() => remote.isEnded(id), 30);
  expect(remote.keys(path)).toEqual([`${id}:${taskId}:1`, `${id}:${taskId}:2`]);
});

test("parallel branches that complete together are each sent once", async () => {
  const [processKey, path] = [key(), "/parallel"];
  remote.answer = (_, response) => json(response, {});
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const branches = names.flatMap((name) => [apiCall(name, post(path)), flow("fork", name, "join")]);
  const elements = [
    start(),
    `<parallelGateway id="fork"/><parallelGateway id="join"/>`,
    end(),
    flow("start", "fork"),
    flow("join", "end"),
    ...branches,
  ];
  await remote.deploy(model(processKey, elements.join("\n")));
  const [first, second] = [await work(), await work()];
  const ids = await Promise.all(Array.from({ length: 6 }, () => remote.start(processKey)));
  for (const id of ids) await until(() => remote.isEnded(id), 60);
  const keys = remote.keys(path);
  expect(keys).toHaveLength(ids.length * names.length);
  expect(new Set(keys).size).toBe(keys.length);
  for (const { logged } of [first, second]) expect(warnings({ logged })).toEqual([]);
});

test("a long refusal reaches the process as Json, and a text that the engine's String cannot hold, too", async () => {
  const [processKey, path] = [key(), "/long"];
  const long = "x".repeat(20_000);
  remote.answer = ({ url }, response) => {
    if (url === path) return json(response, { why: long }, 422);
    response.writeHead(200, { "content-type": "text/plain" }).end(`\0${long}`);
  };
  const { event, error } = boundaryError("refused", "call");
  const elements = [
    start(),
    apiCall("call", post(path, { redirect_failures_to_error_boundary: "true" })),
    event,
    apiCall("report", post("/report", { result_variable: "text" })),
    end(),
    flow("start", "call", "end"),
    flow("refused", "report", "end"),
  ];
  await remote.deploy(model(processKey, elements.join("\n"), error));
  await work();
  const id = await remote.start(processKey);
  await until(() => remote.isEnded(id), 30);
  expect(remote.keys("/report")).toHaveLength(1);
  expect(await remote.variable(id, "error_status")).toMatchObject({ type: "Integer", value: 422 });
  const body = await remote.variable(id, "error_body");
  expect(body?.type).toBe("Json");
  expect(JSON.parse(JSON.parse(String(body?.value)))).toEqual({ why: long });
  const text = await remote.variable(id, "text");
  expect([text?.type, JSON.parse(String(text?.value))]).toEqual(["Json", `\0${long}`]);
});

const redirecting = (path: string) =>
  apiCall("call", post(path, { redirect_failures_to_error_boundary: "true" }));

test("a refusal that nothing catches is an incident, not the end of the instance", async () => {
  const [processKey, path] = [key(), "/uncaught"];
  remote.answer = (_, response) => json(response, { why: "no" }, 409);
  const other = boundaryError("refused", "call", "OTHER");
  const elements = [
    start(),
    redirecting(path),
    other.event,
    end(),
    flow("start", "call", "end"),
    flow("refused", "end"),
  ];
  await remote.deploy(model(processKey, elements.join("\n"), other.error));
  await work();
  const id = await remote.start(processKey);
  const incident = await remote.incident(id);
  expect(incident.row).toMatchObject({ type: "rejected", attempt: 1, sent: "yes" });
  expect(incident.incidentMessage).toContain("HTTP 409");
  expect(await remote.isEnded(id)).toBe(false);
  expect(remote.keys(path)).toHaveLength(1);
});

test("a refusal is caught around the task: at a sub-process, by an event sub-process, and in the calling process", async () => {
  remote.answer = (_, response) => json(response, { why: "no" }, 409);
  await work();
  const { event, error } = boundaryError("refused", "outer");
  const inner = [start("s"), redirecting("/caught"), end("e"), flow("s", "call", "e")].join("\n");
  const around = (outer: string) =>
    [
      start(),
      outer,
      event,
      userTask("fix"),
      end(),
      flow("start", "outer", "end"),
      flow("refused", "fix", "end"),
    ].join("\n");
  const inSubProcess = key();
  await remote.deploy(model(inSubProcess, around(`<subProcess id="outer">${inner}</subProcess>`), error));
  const child = key();
  await remote.deploy(model(child, inner));
  const inCaller = key();
  const callActivity = `<callActivity id="outer" calledElement="${child}"/>`;
  await remote.deploy(model(inCaller, around(callActivity), error));
  const byEvent = key();
  const catching = `<subProcess id="handle" triggeredByEvent="true">
    <startEvent id="caught"><errorEventDefinition id="caught_d"/></startEvent>
    ${userTask("fix")}${end("handled")}${flow("caught", "fix", "handled")}</subProcess>`;
  await remote.deploy(model(byEvent, inner + catching));
  for (const processKey of [inSubProcess, inCaller, byEvent]) {
    const id = await remote.start(processKey);
    const tasks = () => remote.ask<{ taskDefinitionKey: string }[]>("GET", `/task?processInstanceId=${id}`);
    await until(async () => (await tasks()).length === 1, 30);
    expect(await tasks()).toMatchObject([{ taskDefinitionKey: "fix" }]);
  }
  const alone = await remote.start(child);
  expect((await remote.incident(alone)).row).toMatchObject({ type: "rejected" });
});

test("a refusal of a task whose definition is deleted meanwhile ends, and holds no place", async () => {
  const processKey = key();
  const elements = [start(), redirecting("/deleted"), end(), flow("start", "call", "end")];
  await remote.deploy(model(processKey, elements.join("\n")));
  const held = Promise.withResolvers<void>();
  remote.answer = async (_, response) => {
    await held.promise;
    json(response, {}, 422);
  };
  const worker = await work();
  const id = await remote.start(processKey);
  await until(() => remote.keys("/deleted").length === 1);
  const [task] = await remote.ask<{ id: string }[]>("GET", `/external-task?processInstanceId=${id}`);
  const query = `key=${processKey}&tenantIdIn=${remote.slug}`;
  const [definition] = await remote.ask<{ id: string }[]>("GET", `/process-definition?${query}`);
  await remote.ask("DELETE", `/process-definition/${definition?.id}?cascade=true`);
  held.resolve();
  await until(async () => (await rowOf(remote.server, task?.id ?? "")).state === "done", 20);
  expect(warnings(worker).map(({ msg }) => msg)).not.toContain(
    "Service task outcome not stored yet; trying again",
  );
});

test("each task of a multi-instance activity has a key of its own", async () => {
  const [processKey, path] = [key(), "/multi"];
  remote.answer = (_, response) => json(response, {});
  const loop = `<multiInstanceLoopCharacteristics isSequential="false"><loopCardinality>5</loopCardinality></multiInstanceLoopCharacteristics>`;
  const call = apiCall("call", post(path)).replace("</serviceTask>", `${loop}</serviceTask>`);
  await remote.deploy(model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n")));
  await work();
  const id = await remote.start(processKey);
  await until(() => remote.isEnded(id), 30);
  expect(remote.keys(path)).toHaveLength(5);
  expect(new Set(remote.keys(path)).size).toBe(5);
  for (const each of remote.keys(path)) expect(each).toMatch(new RegExp(`^${id}:[^:]+:1$`));
});

test("a faulty configuration is an incident that names its fault, and nothing is sent", async () => {
  const processKey = key();
  const call = apiCall("call", { ...post("/invalid"), method: "FETCH" });
  await remote.deploy(model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n")));
  await work();
  const incident = await remote.incident(await remote.start(processKey));
  expect(incident.row).toMatchObject({ type: "invalid_model", sent: "no" });
  expect(incident.incidentMessage).toContain('"method" has to be one of');
  expect(remote.keys("/invalid")).toEqual([]);
});
