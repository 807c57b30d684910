import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
const key = freshKey();
const form = { id: "apply", type: "default", components: [{ type: "textfield", key: "name" }] };
const first = model(key, [start("start", 'camunda:formRef="apply"'), end(), flow("start", "end")].join("\n"));
const second = model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n"));
beforeAll(async () => {
  server = await startServer();
  await deploy(server, first, { forms: [form] });
  await deploy(server, second);
});
afterAll(() => server.stop());

test("an old version keeps its model and its form", async () => {
  const api = await server.processes();
  const of = { xActiveTenant: "tenant-1", processKey: key };
  const shown = { process_key: key, deployed_by: "alice" };
  expect(await api.getProcessVersion({ ...of, version: 1 })).toMatchObject({
    ...shown,
    version: 1,
    bpmn: first,
    start_form: form,
  });
  const latest = await api.getProcessVersion({ ...of, version: 2 });
  expect(latest).toMatchObject({ ...shown, version: 2, bpmn: second, start_form: null });
  expect(latest).toEqual(await api.getProcessDefinition(of));
});

test("only administrators get the model's text", async () => {
  const api = await server.processes(member());
  const version = await api.getProcessVersion({ xActiveTenant: "tenant-1", processKey: key, version: 1 });
  expect(version).toMatchObject({ version: 1, start_form: form });
  expect(version).not.toHaveProperty("bpmn");
});

test("an unknown version, and a process of another tenant, are 404; a version is a positive number", async () => {
  const get = async (path: string, tenant = 1) =>
    server.request(`/api/v1/probis/process-definitions/${path}`, {
      headers: {
        "x-active-tenant": `tenant-${tenant}`,
        authorization: `Bearer ${await server.token({ tenant })}`,
      },
    });
  await expectProblem(await get(`${key}/versions/3`), "process_not_found");
  await expectProblem(await get("nothing/versions/1"), "process_not_found");
  await expectProblem(await get(`${key}/versions/1`, 2), "process_not_found");
  for (const none of ["0", "-1", "latest", "2147483648"])
    await expectProblem(await get(`${key}/versions/${none}`), "invalid_parameter");
});
