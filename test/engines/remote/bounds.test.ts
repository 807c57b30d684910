/** What Waybill reads of an engine's answers has a bound, whoever deployed what they show. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, start } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { freshKey } from "../../support/processes.ts";
import { askEngine } from "../engine.ts";
import { startWorld, type World } from "../world.ts";
import { type EngineProxy, startEngineProxy } from "./engineProxy.ts";

setDefaultTimeout(90_000);
let world: World;
let proxy: EngineProxy;
beforeAll(async () => {
  proxy = startEngineProxy();
  world = await startWorld({ environment: { ENGINE_URL: proxy.url }, workers: false });
  // So that the tenant has a process whatever a test deploys.
  await world.deploy([start(), end(), flow("start", "end")]);
});
afterAll(async () => {
  await world.stop();
  await proxy.stop();
});

/** Deploys, as another client, a model with the form `wanted` among so many forms. */
async function deployForms(count: number): Promise<string> {
  const key = freshKey("bounds");
  const ref = 'camunda:formRef="wanted" camunda:formRefBinding="deployment"';
  const bpmn = model(key, [start("start", ref), end(), flow("start", "end")].join("\n"));
  const form = new FormData();
  form.set("tenant-id", world.admin.slug);
  form.set("m", new File([bpmn.replace("<process ", '<process camunda:historyTimeToLive="1" ')], "m.bpmn"));
  for (let index = 0; index < count; index++) {
    const id = index === 0 ? "wanted" : `other${index}`;
    const text = JSON.stringify({ type: "default", id, components: [] });
    form.set(`f${index}`, new File([text], `${id}.form`));
  }
  const parts = new Response(form);
  const headers = { "content-type": parts.headers.get("content-type") ?? "" };
  await askEngine("/deployment/create", { method: "POST", body: await parts.arrayBuffer(), headers });
  return key;
}

/** An answer that does not end, and how much of it was taken. */
function endless() {
  const sent = { bytes: 0 };
  const answer = () =>
    new Response(
      new ReadableStream({
        pull: (to) => {
          sent.bytes += 64 * 1024;
          to.enqueue(new Uint8Array(64 * 1024).fill(0x20));
        },
      }),
    );
  return { sent, answer };
}

const startFormOf = async (key: string) => {
  const answer = await world.request(`/api/v1/probis/process-definitions/${key}`);
  return ((await answer.json()) as { start_form: { id: string } | null }).start_form;
};

const MiB = 1024 ** 2;

test("a form that does not end is read no further than a form may be, and not shown", async () => {
  const key = await deployForms(1);
  const { sent, answer } = endless();
  proxy.failAnswers(/GET .*(\/data|deployed-start-form)$/, answer);
  expect(await startFormOf(key)).toBeNull();
  proxy.failAnswers(undefined);
  // Twice, with what the connection holds.
  expect(sent.bytes).toBeLessThan(24 * MiB);
});

test("of a deployment with many forms 50 are read, and the engine is asked for another", async () => {
  const key = await deployForms(120);
  const before = proxy.calls.length;
  expect((await startFormOf(key))?.id).toBe("wanted");
  const read = proxy.calls.slice(before).filter((call) => call.endsWith("/data"));
  expect(read).toHaveLength(50);
});

test.each([
  ["/probis/process-instances", /POST .*\/history\/process-instance$/],
  ["/tasklist/tasks", /POST .*\/task$/],
  ["/probis/incidents", /GET .*\/history\/incident$/],
])("%s: a list that does not end is refused after 8 MiB", async (path, pattern) => {
  const { sent, answer } = endless();
  proxy.failAnswers(pattern, answer);
  await expectProblem(await world.request(`/api/v1${path}`), "answer_too_large");
  proxy.failAnswers(undefined);
  expect(sent.bytes).toBeLessThan(24 * MiB);
});

test("a list of active instances is refused if more instances are in an incident than can be left out", async () => {
  const moment = "2026-11-22T04:43:09.666+0000";
  const failed = (index: number) => ({
    id: `failed-${index}`,
    businessKey: null,
    processDefinitionId: "p:1:1",
    processDefinitionKey: "p",
    processDefinitionVersion: 1,
    startTime: moment,
    endTime: null,
    state: "ACTIVE",
    rootProcessInstanceId: `failed-${index}`,
    tenantId: world.admin.slug,
  });
  const all = Array.from({ length: 2_001 }, (_, index) => failed(index));
  proxy.failAnswers(/POST .*\/history\/process-instance$/, () => Response.json(all));
  const answer = await world.request("/api/v1/probis/process-instances?state=active");
  proxy.failAnswers(undefined);
  const { message } = await expectProblem(answer, "answer_too_large");
  expect(message).toStartWith("More than 2000 instances have an incident");
});
