import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { expectProblem } from "../../support/problem.ts";
import { completeTask, deploy, freshKey, startInstance, tasksOf } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { memberOf, oneTask, openedTask } from "../../support/userTasks.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const get = async (id: string, by = memberOf()) =>
  server.request(`/api/v1/tasklist/tasks/${id}/form`, {
    headers: { "x-active-tenant": `tenant-${by.tenant}`, authorization: `Bearer ${await server.token(by)}` },
  });

test("the answer is the form of the version that the instance runs, as it was deployed", async () => {
  const key = freshKey();
  const bpmn = oneTask(key, 'camunda:formRef="review"');
  const form = { id: "review", components: [{ type: "checkbox", key: "approved" }], custom: [1.5, null] };
  await deploy(server, bpmn, { forms: [form] });
  const { process_instance_id: id } = await startInstance(server, key);
  await deploy(server, bpmn, { forms: [{ ...form, components: [] }] });
  const [task] = await tasksOf(server, id);
  const api = await server.tasklist(memberOf());
  const taskId = task?.task_id ?? "";
  expect(await api.getTaskForm({ xActiveTenant: "tenant-1", taskId })).toEqual(form);
  await completeTask(server, taskId);
  await expectProblem(await get(taskId), "task_not_found");
});

test("the answer is null if the task has no form", async () => {
  const { task_id: taskId } = await openedTask(server);
  const answer = await get(taskId);
  expect([answer.status, await answer.text()]).toEqual([200, "null"]);
  const api = await server.tasklist(memberOf());
  expect(await api.getTaskForm({ xActiveTenant: "tenant-1", taskId })).toBeNull();
});

test("a form of another tenant's task and of an unknown task are 404", async () => {
  const { task_id: taskId } = await openedTask(server);
  await expectProblem(await get(taskId, { ...memberOf(), tenant: 2 }), "task_not_found");
  await expectProblem(await get("nonsense"), "task_not_found");
});
