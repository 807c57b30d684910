/** Answers of another shape than the engine's, such as those of a proxy: 503, and nothing that looks done. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, start, userTask } from "../../support/bpmn.ts";
import { askEngine } from "../engine.ts";
import { startWorld, type World } from "../world.ts";
import { type EngineProxy, startEngineProxy } from "./engineProxy.ts";

setDefaultTimeout(180_000);
let world: World;
let proxy: EngineProxy;
beforeAll(async () => {
  proxy = startEngineProxy();
  world = await startWorld({ environment: { ENGINE_URL: proxy.url }, workers: false });
});
afterAll(async () => {
  await world.stop();
  await proxy.stop();
});

const form = { type: "default", id: "wrong_answers", components: [] };
const formRef = `camunda:formRef="${form.id}" camunda:formRefBinding="deployment"`;
const steps = [
  start("start", formRef),
  userTask("review", `${formRef} camunda:candidateUsers="alice"`),
  end(),
  flow("start", "review", "end"),
];

interface Fixture {
  readonly key: string;
  readonly instance: string;
  readonly task: string;
}

async function fixture(): Promise<Fixture> {
  const key = await world.deploy(steps, { forms: [form] });
  const instance = await world.start(key, { amount: 5 });
  return { key, instance, task: (await world.task(instance)).task_id };
}

/** Every read that asks the engine. */
const reads = ({ key, instance, task }: Fixture) => [
  "/probis/process-definitions",
  `/probis/process-definitions/${key}`,
  `/probis/process-definitions/${key}/versions`,
  `/probis/process-definitions/${key}/versions/1`,
  "/probis/process-instances",
  "/probis/process-instances?state=active",
  `/probis/process-instances/${instance}`,
  `/probis/process-instances/${instance}/variables`,
  `/probis/incidents?process_instance_id=${instance}`,
  `/tasklist/tasks?process_instance_id=${instance}`,
  `/tasklist/tasks/${task}`,
  `/tasklist/tasks/${task}/form`,
  `/tasklist/tasks/${task}/variables`,
  `/report/1/processes/${key}/instances`,
];

const wrong = ["null", "[]", '"hunter2"', '[{"id":7}]', '{"id":"x"}', "<html>"];

/** The call without what names one definition, instance or task. */
const patternOf = (call: string) =>
  new RegExp(`^${call.replaceAll(/\/[^/]*([:-][^/]*){2,}/g, "/[^/]+").replaceAll(/\/engine-rest/g, ".*")}$`);

async function callsOf(paths: readonly string[]): Promise<readonly RegExp[]> {
  const before = proxy.calls.length;
  for (const path of paths) {
    const { status } = await world.request(`/api/v1${path}`);
    if (status !== 200) throw new Error(`${path}: ${status}`);
  }
  const calls = new Set(proxy.calls.slice(before).map((call) => patternOf(call).source));
  return [...calls].filter((source) => !/(version|data)\$$/.test(source)).map((source) => new RegExp(source));
}

test("a read answers 503 whatever the engine answers, and the log names the fault", async () => {
  const calls = await callsOf(reads(await fixture()));
  expect(calls.length).toBeGreaterThan(9);
  for (const pattern of calls) {
    // Whatever this process remembers is of another process.
    const paths = reads(await fixture());
    let refused = 0;
    for (const body of wrong) {
      proxy.failAnswers(pattern, () => new Response(body));
      for (const path of paths) {
        const answer = await world.request(`/api/v1${path}`);
        const text = await answer.text();
        expect([path, pattern.source, body, answer.status, text]).not.toContain(500);
        if (answer.status === 503) expect(JSON.parse(text).code).toBe("engine_unavailable");
        refused += Number(answer.status === 503);
      }
      proxy.failAnswers(undefined);
    }
    expect([pattern.source, refused > 0]).toEqual([pattern.source, true]);
  }
  const faults = world.server.logged.filter(({ code }) => code === "engine_unavailable");
  const messages = faults.map(({ err }) => (err as { message: string }).message);
  expect(
    messages.find((text) => /GET \/task\/\S+ does not have the expected shape: /.test(text)),
  ).toBeDefined();
  expect(JSON.stringify(world.server.logged)).not.toContain("hunter2");
});

test.each([
  ["complete", "POST", {}],
  ["claim", "POST", undefined],
  ["assign", "POST", { assignee: "carol" }],
])("a task's %s that a proxy answers in the engine's place is 503", async (what, method, body) => {
  const { task } = await fixture();
  proxy.failAnswers(/POST .*\/(complete|claim|assignee)$/, () => Response.json({ login: true }));
  const answer = await world.request(`/api/v1/tasklist/tasks/${task}/${what}`, {
    method,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  proxy.failAnswers(undefined);
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
    503,
    "engine_unavailable",
  ]);
});

test("a start whose answer has another shape is found at the engine", async () => {
  const { key } = await fixture();
  proxy.failAnswers(/POST .*\/start$/, () => Response.json(["hunter2"]));
  const body = JSON.stringify({ process_key: key, variables: {} });
  const answer = await world.request("/api/v1/probis/process-instances", { method: "POST", body });
  proxy.failAnswers(undefined);
  expect(answer.status).toBe(201);
});

test("an engine whose version is the page of a proxy is reported as away", async () => {
  proxy.failAnswers(/GET .*\/version$/, () => new Response("<html>"));
  await Bun.sleep(1_100);
  const ready = (await (await world.server.request("/readyz")).json()) as { warnings: { code: string }[] };
  proxy.failAnswers(undefined);
  expect(ready.warnings.map(({ code }) => code)).toContain("engine_away");
});

test("an instance keeps its version after somebody has deleted the definition at the engine", async () => {
  const { key, instance, task } = await fixture();
  await world.complete(task);
  const query = `key=${key}&tenantIdIn=${world.admin.slug}`;
  const [definition] = await askEngine<{ id: string }[]>(`/process-definition?${query}`);
  await askEngine(`/process-definition/${definition?.id}`, { method: "DELETE" });
  const list = await world.request(`/api/v1/probis/process-instances?limit=200`);
  const found = (await list.json()) as { process_instance_id: string; version: number }[];
  expect(found.find((each) => each.process_instance_id === instance)?.version).toBe(1);
});
