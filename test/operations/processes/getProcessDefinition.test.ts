import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, start } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("returns the model as it was deployed, and its start form, however the model names it", async () => {
  const form = { id: "apply", type: "default", components: [{ type: "textfield", key: "name" }] };
  for (const attribute of [
    'camunda:formRef="apply"',
    'camunda:formKey="camunda-forms:deployment:apply.form"',
  ]) {
    const key = freshKey();
    const bpmn = model(key, [start("start", attribute), end(), flow("start", "end")].join("\n"));
    await deploy(server, bpmn, { forms: [form] });
    const api = await server.processes();
    const found = await api.getProcessDefinition({ xActiveTenant: "tenant-1", processKey: key });
    expect(found).toMatchObject({ process_key: key, version: 1, bpmn, start_form: form });
  }
});

test("the start form may be null; an unknown process and that of another tenant are 404", async () => {
  const key = freshKey();
  await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  const api = await server.processes();
  const found = await api.getProcessDefinition({ xActiveTenant: "tenant-1", processKey: key });
  expect(found.start_form).toBeNull();
  const path = (name: string) => `/api/v1/probis/process-definitions/${name}`;
  const headers = { "x-active-tenant": "tenant-1" };
  await expectProblem(await server.request(path("nothing"), { headers }), "process_not_found");
  const other = {
    "x-active-tenant": "tenant-2",
    authorization: `Bearer ${await server.token({ tenant: 2 })}`,
  };
  await expectProblem(await server.request(path(key), { headers: other }), "process_not_found");
});
