import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { completeTask, deploy, freshKey, startInstance, tasksOf } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const get = (id: string, headers = {}) =>
  server.request(`/api/v1/tasklist/tasks/${id}`, { headers: { "x-active-tenant": "tenant-1", ...headers } });

test("a task has its form, from the version that its instance runs", async () => {
  const key = freshKey();
  const body = [start(), userTask("a", 'camunda:formRef="review"'), end(), flow("start", "a", "end")].join(
    "\n",
  );
  const form = { id: "review", components: [{ type: "textfield", key: "one" }] };
  await deploy(server, model(key, body), { forms: [form] });
  const { process_instance_id: id } = await startInstance(server, key);
  await deploy(server, model(key, body), { forms: [{ ...form, components: [] }] });
  const [task] = await tasksOf(server, id);
  const answer = await get(task?.task_id ?? "");
  expect(await answer.json()).toEqual({ ...task, form_key: "review", form });
  await completeTask(server, task?.task_id ?? "");
  await expectProblem(await get(task?.task_id ?? ""), "task_not_found");
});

test("another tenant's task does not exist", async () => {
  const key = freshKey();
  await deploy(server, model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n")));
  const { process_instance_id: id } = await startInstance(server, key);
  const [task] = await tasksOf(server, id);
  expect(await (await get(task?.task_id ?? "")).json()).toMatchObject({ form: null, form_key: null });
  const other = {
    "x-active-tenant": "tenant-2",
    authorization: `Bearer ${await server.token({ tenant: 2 })}`,
  };
  await expectProblem(await get(task?.task_id ?? "", other), "task_not_found");
  await expectProblem(await get("nonsense"), "task_not_found");
});
