/** File variables in reads of the tasklist. See docs/decisions/requirements.md. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member, upload } from "../../support/attachments.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey, startInstance, tasksOf } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("an attachment is its absolute download path, a File its relative path", async () => {
  const key = freshKey("loan");
  await deploy(server, model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n")));
  const by = member();
  const card = await upload(server, { by });
  const { attachment_id: id, file_name: filename, size, mime_type } = card;
  const file = { value: "aGVsbG8=", type: "File", valueInfo: { filename: "old file.txt" } };
  const variables = { card: JSON.stringify(card), "old file": file, amount: 12 };
  const instance = (await startInstance(server, key, { by, variables })).process_instance_id;
  const [task] = await tasksOf(server, instance);
  const api = await server.tasklist(by);
  const read = await api.getTaskVariables({ xActiveTenant: "tenant-1", taskId: task?.task_id ?? "" });
  const absolute = `/api/v1/probis/form-attachments/${id}/download`;
  const relative = `/${key}/download/${instance}/old%20file`;
  expect(read).toEqual({
    amount: { type: "Integer", value: 12 },
    card: { type: "String", value: absolute, filename, size, mime_type },
    "old file": { type: "File", value: relative, filename: "old file.txt", size: 5 },
  });
  const authorization = `Bearer ${await server.token(by)}`;
  const init = { headers: { "x-active-tenant": "tenant-1", authorization } };
  expect((await server.request(absolute, init)).status).toBe(200);
  const old = await server.request(`/api/v1/tasklist${relative}`, init);
  expect(await old.text()).toBe("hello");
});

test("a task that is not open is a 404", async () => {
  const headers = { "x-active-tenant": "tenant-1" };
  const path = `/api/v1/tasklist/tasks/${crypto.randomUUID()}/variables`;
  await expectProblem(await server.request(path, { headers }), "task_not_found");
});
