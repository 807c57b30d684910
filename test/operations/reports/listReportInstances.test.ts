import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { upload } from "../../support/attachments.ts";
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

const path = (key: string, tenant = 1) => `/api/v1/report/${tenant}/processes/${key}/instances`;

test("instances with their variables, newest first, in pages and with a total", async () => {
  const key = freshKey("loan");
  await deploy(server, model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n")));
  const card = await upload(server);
  const first = (await startInstance(server, key, { variables: { card: JSON.stringify(card) } }))
    .process_instance_id;
  const old = { value: "aGVsbG8=", type: "File", valueInfo: { filename: "a.txt" } };
  const second = (await startInstance(server, key, { variables: { old } })).process_instance_id;
  const [task] = await tasksOf(server, first);
  await completeTask(server, task?.task_id ?? "", { variables: { approved: true } });
  const api = await server.reports();
  const target = { tenantId: 1, processDefinitionKey: key };
  const { success, message, data } = await api.listReportInstances(target);
  expect({ success, message }).toEqual({ success: true, message: "2 instances in all." });
  expect(data).toMatchObject({ page: 0, limit: 50, total: 2 });
  const value = `/api/v1/probis/form-attachments/${card.attachment_id}/download`;
  expect(data.instances).toMatchObject([
    {
      process_instance_id: second,
      state: "active",
      ended_at: null,
      variables: {
        old: { type: "File", value: `/${key}/download/${second}/old`, filename: "a.txt", size: 5 },
      },
    },
    {
      process_instance_id: first,
      version: 1,
      state: "completed",
      started_by: "alice",
      ended_at: expect.any(String),
      variables: {
        approved: { type: "Boolean", value: true },
        card: { type: "String", value, filename: "pillow.png" },
      },
    },
  ]);
  const page = await api.listReportInstances({ ...target, page: 1, limit: 1 });
  expect(page.data.instances.map(({ process_instance_id }) => process_instance_id)).toEqual([first]);
});

test("numbers keep every digit", async () => {
  const key = freshKey();
  await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  await server.request("/api/v1/probis/process-instances", {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1" },
    body: `{"process_key":"${key}","variables":{"n":{"value":9223372036854775807,"type":"Long"}}}`,
  });
  expect(await (await server.request(path(key))).text()).toContain('"value":9223372036854775807');
});

test("only for administrators; a process that is not deployed is a 404, even if it has a table", async () => {
  const key = freshKey();
  await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  await expectProblem(await server.request(path("nothing")), "process_not_found");
  await expectProblem(await server.request(path(encodeURIComponent('x" --'))), "process_not_found");
  const member = { authorization: `Bearer ${await server.token({ roles: ["member"] })}` };
  await expectProblem(await server.request(path(key), { headers: member }), "unauthenticated");
  await expectProblem(await server.request(path(key, 2)), "unauthenticated");
  const other = { authorization: `Bearer ${await server.token({ tenant: 2 })}` };
  await expectProblem(await server.request(path(key, 2), { headers: other }), "process_not_found");
});
