/** Deploying models, and reading them back. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { apiCall, end, flow, model, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { deploy, freshKey } from "../support/processes.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const path = "/api/v1/probis/process-definitions";
const form = { id: "apply", type: "default", components: [{ type: "textfield", key: "name" }] };
const waits = [start(), userTask("review"), end(), flow("start", "review", "end")];

/** Deploys as a client without the SDK. */
async function send(bpmn: string): Promise<Response> {
  const body = new FormData();
  body.set("bpmn", new File([bpmn], "model.bpmn"));
  return world.request(path, { method: "POST", body });
}

test("each deployment of a process is its next version", async () => {
  const key = freshKey("versions");
  // Without this, an engine that demands it makes a warning.
  const history = 'camunda:historyTimeToLive="P30D" isExecutable';
  const bpmn = model(key, waits.join("\n")).replace("isExecutable", history);
  const answers = [];
  for (const _ of [1, 2, 3]) answers.push(await deploy(world.server, bpmn, { by: world.admin }));
  expect(answers).toEqual(
    [1, 2, 3].map((version) => ({ process_key: key, version, name: `Process ${key}`, warnings: [] })),
  );
});

test("a process is read with its model as it was deployed, and its start form, however the model names it", async () => {
  const attributes = [
    'camunda:formRef="apply" camunda:formRefBinding="deployment"',
    'camunda:formKey="camunda-forms:deployment:apply.form"',
  ];
  for (const attribute of attributes) {
    const key = freshKey("forms");
    const bpmn = model(key, [start("start", attribute), end(), flow("start", "end")].join("\n"));
    await deploy(world.server, bpmn, { by: world.admin, forms: [form] });
    const api = await world.server.processes(world.admin);
    const found = await api.getProcessDefinition({ xActiveTenant: world.admin.slug, processKey: key });
    expect(found).toEqual({
      process_key: key,
      version: 1,
      name: `Process ${key}`,
      deployed_at: expect.any(String),
      deployed_by: "alice",
      bpmn,
      start_form: form,
    });
  }
});

test("forms that came in files of the same name are told apart by their ids", async () => {
  const key = freshKey("names");
  const binding = 'camunda:formRefBinding="deployment"';
  const elements = [
    start("start", `camunda:formRef="first" ${binding}`),
    userTask("review", `camunda:formRef="second" ${binding}`),
    end(),
    flow("start", "review", "end"),
  ];
  const body = new FormData();
  body.set("bpmn", new File([model(key, elements.join("\n"))], "same.form"));
  for (const id of ["first", "second"])
    body.append("form", new File([JSON.stringify({ ...form, id })], "same.form"));
  expect((await world.request(path, { method: "POST", body })).status).toBe(201);
  expect(await (await world.request(`${path}/${key}`)).json()).toMatchObject({ start_form: { id: "first" } });
  const { task_id } = await world.task(await world.start(key));
  const task = await world.request(`/api/v1/tasklist/tasks/${task_id}`);
  expect(await task.json()).toMatchObject({ form_key: "second", form: { id: "second" } });
});

test("a process without a start form has null", async () => {
  const key = await world.deploy(waits);
  const found = (await (await world.request(`${path}/${key}`)).json()) as { start_form: unknown };
  expect(found.start_form).toBeNull();
});

test("the list has the latest version of each process, by key", async () => {
  const other = await startWorld();
  try {
    for (const key of ["beta", "alpha", "beta"]) await other.deploy(waits, { key });
    const listed = (await (await other.request(path, { by: other.member() })).json()) as object;
    expect(listed).toMatchObject({
      process_definitions: [
        { process_key: "alpha", version: 1, name: "Process alpha", deployed_by: "alice" },
        { process_key: "beta", version: 2 },
      ],
    });
    expect(await (await other.request(path, { by: other.stranger })).json()).toEqual({
      process_definitions: [],
    });
  } finally {
    await other.stop();
  }
});

test("two tenants may have a process of the same key, each with its own versions and forms", async () => {
  const key = freshKey("shared");
  const elements = [
    start("start", 'camunda:formRef="apply" camunda:formRefBinding="deployment"'),
    end(),
    flow("start", "end"),
  ];
  await world.deploy(elements, { key, forms: [form] });
  await world.deploy(elements, { key, forms: [form] });
  const theirs = { ...form, components: [] };
  await world.deploy(elements, { key, forms: [theirs], by: world.stranger });
  const read = async (by = world.admin) => (await world.request(`${path}/${key}`, { by })).json();
  expect(await read()).toMatchObject({ version: 2, deployed_by: "alice", start_form: form });
  expect(await read(world.stranger)).toMatchObject({
    version: 1,
    deployed_by: "bob",
    start_form: theirs,
  });
});

test("an unknown process and one of another tenant are 404", async () => {
  const key = await world.deploy(waits);
  await expectProblem(await world.request(`${path}/nothing`), "process_not_found");
  await expectProblem(await world.request(`${path}/${encodeURIComponent("a b/'\"%")}`), "process_not_found");
  await expectProblem(await world.request(`${path}/${key}`, { by: world.stranger }), "process_not_found");
});

test("a fault in Waybill's service tasks is refused with its line and element, and stores nothing", async () => {
  const key = freshKey("faulty");
  const call = apiCall("call", { method: "POST", url: "ftp://bank.example", body: "{" });
  const bpmn = model(key, [start(), call, end(), flow("start", "call", "end")].join("\n"));
  const problem = await expectProblem(await send(bpmn), "invalid_bpmn");
  const details = (problem.errors ?? []).map(({ detail }) => detail);
  expect(details).toContainEqual(expect.stringMatching(/^Line 5, "call": .*https?:/));
  expect(details).toContainEqual(expect.stringMatching(/^Line 5, "call": .*JSON/));
  await expectProblem(await world.request(`${path}/${key}`), "process_not_found");
});

test("a model that the engine cannot run is refused with its reason, and stores nothing", async () => {
  const key = freshKey("broken");
  const nowhere = '<sequenceFlow id="lost" sourceRef="start" targetRef="nowhere"/>';
  const problem = await expectProblem(await send(model(key, `${start()}${nowhere}`)), "invalid_bpmn");
  expect(JSON.stringify(problem)).toContain("nowhere");
  await expectProblem(await send("<definitions>"), "invalid_bpmn");
  await expectProblem(await world.request(`${path}/${key}`), "process_not_found");
});

test("instances go on in the version in which they started", async () => {
  const key = await world.deploy(waits);
  const old = await world.start(key);
  await world.deploy([start(), end(), flow("start", "end")], { key });
  const next = await world.start(key);
  await world.reaches(next, "completed");
  expect((await world.instance(old)).state).toBe("active");
  await world.complete((await world.task(old)).task_id);
  await world.reaches(old, "completed");
});
