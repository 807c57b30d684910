/** What an engine beside Waybill judges itself, and how its forms are found. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { apiCall, end, flow, model, oneCall, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { freshKey } from "../../support/processes.ts";
import { askEngine } from "../engine.ts";
import { type Actor, startWorld, type World } from "../world.ts";

setDefaultTimeout(60_000);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const path = "/api/v1/probis/process-definitions";

async function send(bpmn: string, forms: readonly object[] = [], by: Actor = world.admin): Promise<Response> {
  const body = new FormData();
  body.set("bpmn", new File([bpmn], "model.bpmn"));
  for (const [index, form] of forms.entries())
    body.append("form", new File([JSON.stringify(form)], `f${index}.form`));
  return world.request(path, { method: "POST", body, by });
}

test("a fault of a service task is refused with its line and element, and nothing is deployed", async () => {
  const key = freshKey("faulty");
  const problem = await expectProblem(await send(oneCall(key, { method: "FETCH" })), "invalid_bpmn");
  expect(problem.errors?.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^Line 5, "call": "method" has to be one of/),
    expect.stringMatching(/^Line 5, "call": An API call needs a "url"/),
  ]);
  expect((await world.request(`${path}/${key}`)).status).toBe(404);
});

test("service tasks in Operaton's namespace, send tasks and message events are validated, too", async () => {
  const operaton = "http://operaton.org/schema/1.0/bpmn";
  const property = '<o:property name="method" value="POST"/>';
  const properties = `<extensionElements><o:properties>${property}</o:properties></extensionElements>`;
  const external = 'o:type="external" o:topic="api-call"';
  const elements = [
    `<sendTask id="send" ${external}>${properties}</sendTask>`,
    `<intermediateThrowEvent id="throw">${properties}<messageEventDefinition ${external}/></intermediateThrowEvent>`,
    `<serviceTask id="theirs" o:type="external" o:topic="theirs"/>`,
  ].join("\n");
  const bpmn = model(freshKey("operaton"), elements).replace(
    "<definitions",
    `<definitions xmlns:o="${operaton}"`,
  );
  const problem = await expectProblem(await send(bpmn), "invalid_bpmn");
  expect(problem.errors?.map(({ detail }) => detail.slice(0, 30))).toEqual([
    expect.stringContaining('"send": An API call'),
    expect.stringContaining('"throw": An API call'),
  ]);
});

test("what the engine refuses is passed on with its line", async () => {
  const bpmn = model(freshKey("refused"), `${start()}\n${end()}\n${end()}`);
  const problem = await expectProblem(await send(bpmn), "invalid_bpmn");
  expect(problem.errors?.map(({ detail }) => detail)).toContainEqual(
    expect.stringMatching(/^Line 6: .*ID value 'end'/),
  );
  await expectProblem(await send("<definitions>"), "invalid_bpmn");
  await expectProblem(await send("no xml"), "invalid_bpmn");
  await expectProblem(await send(model("plain", start()).replace('isExecutable="true"', "")), "invalid_bpmn");
});

test("a model without a time for its history is deployed, also where the engine demands one", async () => {
  const key = freshKey("history");
  const bpmn = model(key, [start(), end(), flow("start", "end")].join("\n"));
  const answer = await send(bpmn);
  expect(answer.status).toBe(201);
  expect(await (await world.request(`${path}/${key}`)).json()).toMatchObject({ bpmn });
  const { warnings } = (await answer.json()) as { warnings: string[] };
  const query = `key=${key}&tenantIdIn=${world.admin.slug}`;
  const [definition] = await askEngine<{ historyTimeToLive: number | null }[]>(
    `/process-definition?${query}`,
  );
  // An engine that does not demand it gets the model as it is.
  if (definition?.historyTimeToLive === null) expect(warnings).toEqual([]);
  else {
    expect(definition?.historyTimeToLive).toBe(180);
    expect(warnings).toEqual([expect.stringContaining("set historyTimeToLive to change that")]);
  }
});

test("a slug that cannot be a tenant id of the engine is a problem of its own", async () => {
  const bpmn = model(freshKey("slug"), [start(), end(), flow("start", "end")].join("\n"));
  const long = { ...world.admin, tenant: 901, slug: `${world.admin.slug}-${"x".repeat(60)}` };
  const comma = { ...world.admin, tenant: 902, slug: `${world.admin.slug},${world.stranger.slug}` };
  for (const by of [long, comma]) {
    await expectProblem(await send(bpmn, [], by), "not_supported_by_engine");
    expect(await (await world.request(path, { by })).json()).toEqual({ process_definitions: [] });
  }
});

const form = (id: string, label: string) => ({
  id,
  type: "default",
  components: [{ type: "textfield", key: "name", label }],
});

test.each(["latest", "deployment"])(
  "two tenants have a form of the same id, bound to %p",
  async (binding) => {
    const key = freshKey("forms");
    const ref = (id: string) => `camunda:formRef="${id}" camunda:formRefBinding="${binding}"`;
    const elements = [start("start", ref("apply")), userTask("review", ref("check")), end()];
    const bpmn = model(key, [...elements, flow("start", "review", "end")].join("\n"));
    for (const by of [world.admin, world.stranger]) {
      const label = by.slug;
      expect((await send(bpmn, [form("apply", label), form("check", label)], by)).status).toBe(201);
    }
    for (const by of [world.admin, world.stranger]) {
      const found = await (await world.request(`${path}/${key}`, { by })).json();
      expect(found).toMatchObject({ start_form: form("apply", by.slug) });
      const id = await world.start(key, {}, by);
      const [task] = await world.tasks(id, by);
      expect(task).toMatchObject({ form_key: "check" });
      const detail = await (await world.request(`/api/v1/tasklist/tasks/${task?.task_id}`, { by })).json();
      expect(detail).toMatchObject({ form: form("check", by.slug) });
    }
  },
);

test("a form that no file has is a warning, and is shown as null", async () => {
  const key = freshKey("absent");
  const ref = 'camunda:formRef="absent-form" camunda:formRefBinding="deployment"';
  const answer = await send(model(key, [start("start", ref), end(), flow("start", "end")].join("\n")));
  expect(await answer.json()).toMatchObject({
    warnings: expect.arrayContaining(['The form "absent-form" is not among the files of this deployment.']),
  });
  expect(await (await world.request(`${path}/${key}`)).json()).toMatchObject({ start_form: null });
});

test("what another client deploys for the tenant is served, with the source as its deployer", async () => {
  const key = freshKey("theirs");
  const body = new FormData();
  body.set("deployment-source", "modeler");
  body.set("tenant-id", world.admin.slug);
  const call = apiCall("call", { method: "GET", url: "http://127.0.0.1:1/" });
  const elements = [start(), userTask("review"), call, end(), flow("start", "review", "call", "end")].join(
    "\n",
  );
  const bpmn = model(key, elements).replace("isExecutable", 'camunda:historyTimeToLive="P1D" isExecutable');
  body.set("file", new File([bpmn], "theirs.bpmn"));
  await askEngine("/deployment/create", { method: "POST", body, headers: {} });
  expect(await (await world.request(`${path}/${key}`)).json()).toMatchObject({
    deployed_by: "modeler",
    version: 1,
    bpmn,
  });
  expect((await world.request(`${path}/${key}`, { by: world.stranger })).status).toBe(404);
});

test("where only operators deploy, a deployment is 403 and stores nothing, and a dry run still works", async () => {
  const closed = await startWorld({ environment: { ENGINE_DEPLOYMENTS: "off" }, workers: false });
  const key = freshKey("operators");
  const bpmn = oneCall(key, { method: "POST", url: "https://core.example/loans" });
  const body = new FormData();
  body.set("bpmn", new File([bpmn], "model.bpmn"));
  const refused = await expectProblem(
    await closed.request(path, { method: "POST", body }),
    "deployments_disabled",
  );
  expect(refused.message).toContain(`with the tenant id "${closed.admin.slug}"`);
  expect(await askEngine<unknown[]>(`/deployment?tenantIdIn=${closed.admin.slug}`)).toEqual([]);
  const dry = await closed.request(`${path}/dry-run`, { method: "POST", body: JSON.stringify({ bpmn }) });
  expect(await dry.json()).toMatchObject({
    faults: [],
    service_tasks: [{ activity_id: "call", failure: null }],
  });
  await closed.stop();
});
