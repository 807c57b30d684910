/** User tasks: listed, read with their forms and variables, and completed once. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { upload } from "../support/attachments.ts";
import { boundaryTimer, conditionalFlow, end, flow, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
/** start → a → decision → b, or back to a. */
let loop: string;
beforeAll(async () => {
  world = await startWorld();
  loop = await world.deploy([
    start(),
    userTask("a"),
    '<exclusiveGateway id="decision" default="decision_b"/>',
    userTask("b"),
    end(),
    flow("start", "a", "decision", "b", "end"),
    conditionalFlow("decision", "a", "${again}"),
  ]);
});
afterAll(() => world.stop());

const path = "/api/v1/tasklist/tasks";
const complete = (taskId: string, body: unknown = {}, by = world.admin) =>
  world.request(`${path}/${encodeURIComponent(taskId)}/complete`, {
    method: "POST",
    body: JSON.stringify(body),
    by,
  });

test("a task says where it belongs", async () => {
  const id = await world.start(loop);
  const { task_id, ...task } = await world.task(id);
  expect(task_id).not.toBe("");
  expect(task).toMatchObject({
    process_instance_id: id,
    process_key: loop,
    activity_id: "a",
    name: "Task a",
    form_key: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
  });
});

test("every member sees the open tasks of the tenant and of one instance, oldest first and in pages", async () => {
  const other = await startWorld();
  try {
    const fork = '<parallelGateway id="fork"/><parallelGateway id="join"/>';
    const flows = [flow("start", "fork", "a", "join", "end"), flow("fork", "b", "join")];
    const key = await other.deploy([start(), fork, userTask("a"), userTask("b"), end(), ...flows]);
    const [one, two] = [await other.start(key), await other.start(key)];
    const bob = other.member();
    const api = await other.server.tasklist(bob);
    const tenant = { xActiveTenant: other.admin.slug };
    const all = await api.listTasks(tenant);
    expect(all.map(({ process_instance_id }) => process_instance_id)).toEqual([one, one, two, two]);
    expect(await api.listTasks({ ...tenant, limit: 1, page: 3 })).toEqual(all.slice(3));
    expect(await api.listTasks({ ...tenant, limit: 3, page: 2 })).toEqual([]);
    const [first] = await other.tasks(one, bob);
    await other.complete(first?.task_id ?? "", {}, bob);
    expect(await other.tasks(one, bob)).toHaveLength(1);
    expect(await other.tasks("nonsense")).toEqual([]);
    expect(await other.tasks(one, other.stranger)).toEqual([]);
  } finally {
    await other.stop();
  }
});

test("a task has the form of the version that its instance runs", async () => {
  const elements = [
    start(),
    userTask("a", 'camunda:formRef="review" camunda:formRefBinding="deployment"'),
    end(),
    flow("start", "a", "end"),
  ];
  const form = { id: "review", type: "default", components: [{ type: "textfield", key: "one" }] };
  const key = await world.deploy(elements, { forms: [form] });
  const id = await world.start(key);
  await world.deploy(elements, { key, forms: [{ ...form, components: [] }] });
  const { task_id } = await world.task(id);
  expect(await (await world.request(`${path}/${task_id}`)).json()).toMatchObject({
    task_id,
    form_key: "review",
    form,
  });
});

test("its variables show an attachment and a File by the paths of their downloads", async () => {
  const by = world.member();
  const card = await upload(world.server, { by });
  const { attachment_id, file_name: filename, size, mime_type } = card;
  const old = { value: "aGVsbG8=", type: "File", valueInfo: { filename: "old file.txt" } };
  const id = await world.start(loop, { card: JSON.stringify(card), "old file": old, amount: 12 }, by);
  const { task_id } = await world.task(id);
  const api = await world.server.tasklist(by);
  const absolute = `/api/v1/probis/form-attachments/${attachment_id}/download`;
  const relative = `/${loop}/download/${id}/old%20file`;
  expect(await api.getTaskVariables({ xActiveTenant: by.slug, taskId: task_id })).toEqual({
    amount: { type: "Integer", value: 12 },
    card: { type: "String", value: absolute, filename, size, mime_type },
    "old file": { type: "File", value: relative, filename: "old file.txt", size: 5 },
  });
  expect((await world.request(absolute, { by })).status).toBe(200);
  expect(await (await world.request(`/api/v1/tasklist${relative}`, { by })).text()).toBe("hello");
});

test("its variables decide how the process goes on, and who completed it takes part in the discussion", async () => {
  const id = await world.start(loop);
  const [bob, a] = [world.member(), await world.task(id, "a")];
  await world.complete(a.task_id, { again: true }, bob);
  await expectProblem(await complete(a.task_id), "task_completed");
  const again = await world.task(id, "a");
  expect(again.task_id).not.toBe(a.task_id);
  await world.complete(again.task_id, { again: false });
  await world.complete((await world.task(id, "b")).task_id);
  await world.reaches(id, "completed");
  const api = await world.server.discussions(world.admin);
  const target = { xActiveTenant: world.admin.slug, processInstanceId: id };
  const { participants } = await api.listParticipants(target);
  expect(participants.map(({ user }) => user)).toContain(bob.user ?? "");
});

test("if many complete a task at the same time, one succeeds", async () => {
  const id = await world.start(loop);
  const { task_id } = await world.task(id);
  const body = { variables: { again: { value: false } } };
  const answers = await Promise.all(Array.from({ length: 8 }, () => complete(task_id, body)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(7).fill(409)]);
  expect((await world.tasks(id)).map(({ activity_id }) => activity_id)).toEqual(["b"]);
});

test("files are bound to the instance and the task; if one cannot be, the task stays open", async () => {
  const id = await world.start(loop);
  const { task_id } = await world.task(id);
  const card = await upload(world.server, { by: world.admin });
  const gone = { attachment_id: crypto.randomUUID(), file_name: "gone.pdf" };
  const value = (metadata: object) => ({ value: JSON.stringify(metadata) });
  const bad = { variables: { card: value(card), gone: value(gone), again: { value: true } } };
  await expectProblem(await complete(task_id, bad), "not_committed");
  expect((await world.tasks(id)).map((task) => task.task_id)).toEqual([task_id]);
  expect(await world.variables(id)).toEqual({});
  await world.complete(task_id, { card: JSON.stringify(card), again: false });
  const [row] = await world.server.sql`
    select state, process_instance_id, task_id from waybill.attachments where id = ${card.attachment_id}`;
  expect(row).toEqual({ state: "committed", process_instance_id: id, task_id } as never);
});

test("a completion after which the process cannot go on is refused, and changes nothing", async () => {
  const gateway = '<exclusiveGateway id="decision"/>';
  const conditions = ["${amount > 5}", "${amount < 0}"];
  const flows = conditions.map((condition, at) => conditionalFlow("decision", `end${at}`, condition));
  const elements = [start(), userTask("a"), gateway, end("end0"), end("end1"), ...flows];
  const key = await world.deploy([...elements, flow("start", "a", "decision")]);
  const id = await world.start(key);
  const { task_id } = await world.task(id);
  await expectProblem(await complete(task_id, { variables: { amount: { value: 1 } } }), "process_failed");
  expect(await world.variables(id)).toEqual({});
  await world.complete(task_id, { amount: 6 });
  await world.reaches(id, "completed");
});

test("a boundary timer cancels a task", async () => {
  const timer = boundaryTimer("late", "a", { after: "PT1S" });
  const flows = [flow("start", "a", "end"), flow("late", "b", "end")];
  const key = await world.deploy([start(), userTask("a"), timer, userTask("b"), end(), ...flows]);
  const id = await world.start(key);
  const a = await world.task(id, "a");
  await world.task(id, "b");
  await expectProblem(await complete(a.task_id), "task_completed");
});

test("a task of another tenant, an unknown and a completed one are 404 for reads", async () => {
  const id = await world.start(loop);
  const { task_id } = await world.task(id);
  const { stranger } = world;
  for (const at of [`${path}/${task_id}`, `${path}/${task_id}/variables`])
    await expectProblem(await world.request(at, { by: stranger }), "task_not_found");
  await expectProblem(await complete(task_id, {}, stranger), "task_not_found");
  for (const unknown of ["nonsense", "count", "report", crypto.randomUUID(), "a'b\"c"]) {
    const at = `${path}/${encodeURIComponent(unknown)}`;
    for (const address of [at, `${at}/variables`])
      await expectProblem(await world.request(address), "task_not_found");
    await expectProblem(await complete(unknown), "task_not_found");
  }
  await world.complete(task_id, { again: false });
  await expectProblem(await world.request(`${path}/${task_id}`), "task_not_found");
});
